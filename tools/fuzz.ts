// deno-lint-ignore-file no-console
/**
 * Fuzzes the model loader: `deno task fuzz [seconds] [--count n] [--seed n]`. A file that breaks it is
 * written to tests/fuzz/corpus, where a test finds it from then on.
 *
 * @module
 */
import { FuzzFailure, fuzzLoader } from "../tests/fuzz/loader.ts";

function flag(name: string): number | undefined {
  const at = Deno.args.indexOf(`--${name}`);
  return at < 0 ? undefined : Number(Deno.args[at + 1]);
}

const count = flag("count");
const seconds = Number(Deno.args.find((arg) => /^\d+$/.test(arg) && count === undefined) ?? 60);
const seed = flag("seed") ?? Date.now() >>> 0;
// Taking stacks of refusals was a tenth of the time; the file that is kept shows where a failure is.
(Error as { stackTraceLimit?: number }).stackTraceLimit = 0;
console.log(`seed ${seed}, ${count === undefined ? `${seconds} s` : `${count} mutations`}`);
try {
  const report = fuzzLoader({
    seed,
    ...(count === undefined ? { milliseconds: seconds * 1000 } : { count }),
  });
  console.log(
    `${report.mutations} mutations: ${report.refused} refused with a typed error, ` +
      `${report.accepted} read and scored, slowest ${report.slowest.toFixed(1)} ms`,
  );
} catch (error) {
  if (!(error instanceof FuzzFailure)) throw error;
  const file = new URL(`../tests/fuzz/corpus/found-${seed}.bin`, import.meta.url);
  await Deno.writeFile(file, error.bytes);
  console.error(`${error.message}: ${error.cause}\nthe file is ${file.pathname}`);
  Deno.exit(1);
}
