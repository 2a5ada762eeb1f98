/**
 * What holds of every reader on threads: it gives, says and throws what one thread does.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Dataset } from "../../src/data/types.ts";
import { contents, createFakeReader } from "./fake_reader.ts";

/** Options that say something, and a way to hear of warnings. */
interface Warned {
  readonly onWarning?: (message: string) => void;
}

/** A format, how one thread reads it, and how several do. */
export interface PartsLaw<Options extends Warned, Reading> {
  readonly file: fc.Arbitrary<string>;
  readonly reading: fc.Arbitrary<Reading>;
  /** Members that are undefined are left out. */
  readonly options: fc.Arbitrary<{ readonly [name in keyof Options]?: unknown }>;
  readonly parse: (text: string, options: Options) => Dataset;
  /** Undefined where the file is left to one thread. */
  readonly onThreads: (
    path: string,
    options: Options,
    run: Reading & { readonly open: () => Worker },
  ) => Promise<Dataset | undefined>;
}

/** What a run gives and says, or what it throws. */
async function attempt<Options extends Warned>(
  run: (options: Options) => Dataset | Promise<Dataset>,
  given: Options,
) {
  const said: string[] = [];
  try {
    const data = await run({ ...given, onWarning: (message) => said.push(message) });
    return { data: contents(data), said };
  } catch (error) {
    const { code, message, details } = error as Error & { code: unknown; details: unknown };
    return { code, message, details, said };
  }
}

/** Reads 600 files both ways; of more than twenty the threads must make the table. */
export async function assertPartsLaw<Options extends Warned, Reading extends object>(
  { file, reading, options, parse, onThreads }: PartsLaw<Options, Reading>,
): Promise<void> {
  const path = await Deno.makeTempFile();
  let numRead = 0;
  try {
    await fc.assert(
      fc.asyncProperty(
        file,
        reading,
        options,
        fc.infiniteStream(fc.integer({ min: 0, max: 3 })),
        async (text, how, some, turns) => {
          await Deno.writeTextFile(path, text);
          const given = Object.fromEntries(
            Object.entries(some).filter(([, value]) => value !== undefined),
          ) as unknown as Options;
          const expected = await attempt((all: Options) => parse(text, all), given);
          const open = () => createFakeReader(() => turns.next().value!);
          let left = false;
          const found = await attempt(async (all: Options) => {
            const data = await onThreads(path, all, { ...how, open });
            left = data === undefined;
            return data ?? parse(text, all);
          }, given);
          if (!left && "data" in found) numRead++;
          assertEquals(found, expected);
        },
      ),
      { numRuns: 600 },
    );
  } finally {
    await Deno.remove(path);
  }
  assertEquals(numRead > 20, true, `${numRead} files were read by threads`);
}
