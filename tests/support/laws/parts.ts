/**
 * What holds of every reader on threads: it gives, says and throws what one thread does.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Dataset } from "../../../src/data/types.ts";
import { contents, createFakeReader } from "../stand_ins/reader.ts";
import { tempFolder } from "../temp.ts";

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
  /** Whether threads must say what one thread does. @default All is said. */
  readonly isSaid?: (message: string, reading: Reading) => boolean;
  /** Of more files than these the threads must make the table. @default 20 */
  readonly leastRead?: number;
}

/**
 * What a run gives and says, or what it throws.
 *
 * @param show What is to be the same of what it gives.
 */
export async function outcome<Options extends Warned, Found>(
  given: Options,
  show: (found: Found) => unknown,
  run: (options: Options) => Found | Promise<Found>,
) {
  const said: string[] = [];
  try {
    const found = await run({ ...given, onWarning: (message) => said.push(message) });
    return { data: show(found), said };
  } catch (error) {
    const { code, message, details } = error as Error & { code: unknown; details: unknown };
    return { code, message, details, said };
  }
}

/** Options without members that are undefined. */
export function definedOf<Options>(
  some: { readonly [name in keyof Options]?: unknown },
): Options {
  const entries = Object.entries(some).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Options;
}

/** Reads 600 files both ways. */
export async function assertPartsLaw<Options extends Warned, Reading extends object>(
  { file, reading, options, parse, onThreads, isSaid = () => true, leastRead = 20 }: PartsLaw<
    Options,
    Reading
  >,
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
          const given = definedOf<Options>(some);
          const expected = await outcome(given, contents, (all) => parse(text, all));
          const open = () => createFakeReader({ patience: () => turns.next().value! });
          let left = false;
          const found = await outcome(given, contents, async (all) => {
            const data = await onThreads(path, all, { ...how, open });
            left = data === undefined;
            return data ?? parse(text, all);
          });
          if (!left && "data" in found) numRead++;
          for (const one of [found, expected]) {
            one.said = one.said.filter((message) => isSaid(message, how));
          }
          assertEquals(found, expected);
        },
      ),
      { numRuns: 600 },
    );
  } finally {
    await Deno.remove(path);
  }
  assertEquals(numRead > leastRead, true, `${numRead} files were read by threads`);
}

/**
 * Reads files that change while threads read them, which is left to one thread without a word.
 *
 * @param begin What stands before the rows.
 * @param rowOf A row of a value.
 */
export async function assertChangesAreLeft(
  begin: string,
  rowOf: (value: number) => string,
  onThreads: (
    path: string,
    options: Required<Warned>,
    run: { readonly threads: number; readonly segmentBytes: number; readonly open: () => Worker },
  ) => Promise<Dataset | undefined>,
): Promise<void> {
  await using folder = await tempFolder();
  const rows = (value: number) => `${begin}${rowOf(value).repeat(500)}`;
  const changes: { readonly [what: string]: (path: string) => void } = {
    "another in its place": (path) => {
      Deno.writeTextFileSync(`${path}.new`, rows(2));
      Deno.renameSync(`${path}.new`, path);
    },
    "rows behind": (path) => Deno.writeTextFileSync(path, rowOf(3), { append: true }),
    "its end gone": (path) => Deno.truncateSync(path, 99),
    "nothing there": (path) => Deno.removeSync(path),
  };
  for (const [what, change] of Object.entries(changes)) {
    // Before the other thread opens the file; of rows behind, also while both read. A file that is
    // replaced then goes on as it was for those that have opened it.
    for (const step of what === "rows behind" ? [0, 1] : [0]) {
      const path = await folder.write("a", rows(1));
      let steps = 0;
      const changeAt = (at: number) => at === step && change(path);
      const patience = () => {
        changeAt(steps++);
        return 0;
      };
      const open = () => {
        changeAt(steps++);
        return createFakeReader({ patience });
      };
      const said: string[] = [];
      const onWarning = (message: string) => void said.push(message);
      const run = { threads: 2, segmentBytes: 10, open };
      assertEquals(await onThreads(path, { onWarning }, run), undefined, what);
      assertEquals(said, [], what);
      // The change has come.
      assertEquals(steps > step, true, what);
    }
  }
}
