// deno-lint-ignore-file no-console
/**
 * Everything CI runs, one step after another, with a summary; the exit code is 1 when a step fails.
 *
 * `--skip=test,fmt` leaves steps out (CI runs the tests by the README's command first).
 *
 * @module
 */

/** Tasks of deno.json, in the order they run: the quick ones first. */
const STEPS = [
  "fmt",
  "lint",
  "check",
  "mirror",
  "words",
  "generated",
  "size",
  "publish",
  "test",
  "test:doc",
  "test:e2e",
  "test:browser",
];

const skipped = new Set(
  Deno.args.flatMap((argument) => argument.replace(/^--skip=/, "").split(",")),
);
const failed: string[] = [];
let passedTests = 0;
let failedTests = 0;
for (const step of STEPS) {
  if (skipped.has(step)) continue;
  const started = performance.now();
  console.error(`\n== ${step}`);
  const child = new Deno.Command(Deno.execPath(), {
    args: ["task", step],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const [own, show] = child.stdout.tee();
  const [text, status] = await Promise.all([
    new Response(own).text(),
    child.status,
    show.pipeTo(Deno.stdout.writable, { preventClose: true }),
  ]);
  const sums = /(\d+) passed(?: \([^)]*\))? \| (\d+) failed/.exec(text);
  passedTests += Number(sums?.[1] ?? 0);
  failedTests += Number(sums?.[2] ?? 0);
  if (!status.success) failed.push(step);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.error(`== ${step}: ${status.success ? "ok" : "FAILED"} in ${seconds} s`);
}
console.error(failed.length === 0 ? "\nEverything is fine." : `\nFailed: ${failed.join(", ")}`);
// A failed step that is not a test counts as one failure.
const otherFailures = failed.length > 0 && failedTests === 0 ? failed.length : 0;
console.log(`gate: ${passedTests} passed, ${failedTests + otherFailures} failed`);
if (failed.length > 0) Deno.exit(1);
