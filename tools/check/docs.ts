// deno-lint-ignore-file no-console
/**
 * Lints the documentation of each door of deno.json on its own: everything public has words, and a
 * door exports every type that it names.
 *
 * @module
 */

/** Types of other packages: a door that exported them would have to document all they name. */
const FOREIGN = ["'ServerApp' references private type 'Hono'"];

const { exports } = JSON.parse(await Deno.readTextFile("deno.json")) as {
  exports: { readonly [door: string]: string };
};
const results = await Promise.all(
  Object.entries(exports).map(async ([door, file]) => {
    const { code, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["doc", "--lint", file],
      env: { NO_COLOR: "1" },
      stdout: "null",
    }).output();
    const text = new TextDecoder().decode(stderr);
    const errors = text.split(/^(?=error\[)/m).filter((part) =>
      part.startsWith("error[") && !FOREIGN.some((known) => part.includes(known))
    );
    // Failed and told nothing that is known: then the whole of what it said is the error.
    const silent = code !== 0 && !text.includes("error[");
    return { door, errors: silent ? [text] : errors };
  }),
);
for (const { door, errors } of results) {
  console.log(`${door}: ${errors.length === 0 ? "ok" : `${errors.length} undocumented`}`);
  for (const error of errors) console.error(error.trimEnd().split(/^error: Found/m)[0]);
}
if (results.some(({ errors }) => errors.length > 0)) Deno.exit(1);
