/**
 * Writes docs/parameters.md from the parameter table; with `--check` only compares.
 *
 *     deno run --allow-read=docs --allow-write=docs tools/write_parameters.ts [--check]
 *
 * @module
 */
import { PRESET_NAMES, presetParams } from "../src/params/presets.ts";
import { describeRange, kebab } from "../src/params/resolve.ts";
import { PARAM_TABLES, paramsOf } from "../src/params/table.ts";
import type { ParamSpec } from "../src/params/types.ts";

const PATH = new URL("../docs/parameters.md", import.meta.url);

const KINDS: { readonly [kind in ParamSpec["kind"]]: string } = {
  number: "",
  integer: "",
  boolean: "true or false",
  choice: "one of",
  text: "text",
  numbers: "list of numbers",
  texts: "list of names",
  table: "numbers by name",
  groups: "lists of names",
  value: "name or object",
};

function typeOf(spec: ParamSpec): string {
  const words = [...(spec.choices ?? []), ...(spec.entries ?? [])].map((word) => `\`${word}\``);
  if (spec.kind === "choice") return words.join(", ");
  const base = spec.kind === "number" || spec.kind === "integer" || spec.kind === "numbers"
    ? (spec.kind === "numbers" ? "list, each " : "") + describeRange(spec)
    : KINDS[spec.kind];
  return words.length === 0 ? base : `${base}, or ${words.join(", ")}`;
}

function code(value: unknown): string {
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}

function rangeOf(spec: ParamSpec): string | undefined {
  const { search } = spec;
  if (search === undefined) return undefined;
  if ("choices" in search) return search.choices.map(code).join(", ");
  return `${search.from} to ${search.to}${search.scale === "log" ? ", by logarithm" : ""}`;
}

function section(name: string, spec: ParamSpec): string {
  const facts = [
    `- ${typeOf(spec)}; ${
      spec.default === undefined ? "no default" : `default ${code(spec.default)}`
    }`,
    `- flag \`--${kebab(name)}\`${
      spec.aliases.length === 0 ? "" : `; also ${spec.aliases.map(code).join(", ")}`
    }`,
  ];
  const range = rangeOf(spec);
  if (range !== undefined) facts.push(`- \`tune\` draws from ${range}`);
  return `### ${name}\n\n${spec.doc}\n\n${facts.join("\n")}\n`;
}

/** The whole page. */
export function parametersPage(): string {
  const parts = [
    "# Parameters\n",
    "<!-- Written by tools/write_parameters.ts from src/params: edit those, then run it. -->\n",
    "Each parameter has one name here and accepts the names that XGBoost, LightGBM, CatBoost and " +
    "scikit-learn use for it, in any spelling of `camelCase`, `snake_case` and `kebab-case`. A wrong " +
    "name is refused with the nearest right one, a value outside its range with the range.\n",
  ];
  for (const table of PARAM_TABLES) {
    const entries = Object.entries(table);
    const algorithms = [...new Set(entries.flatMap(([, spec]) => spec.algorithms))];
    parts.push(`## ${algorithms.join(", ")}\n`);
    for (const [name, spec] of entries) parts.push(section(name, spec));
  }
  parts.push("## Presets\n");
  parts.push(
    "A preset is a set of defaults for `boost` with a version; what is given beside it wins. " +
      "Parameters that a preset leaves out keep the defaults above.\n",
  );
  for (const name of PRESET_NAMES) {
    const values = Object.entries(presetParams(name)).map(([key, value]) =>
      `${key} ${code(value)}`
    );
    parts.push(
      `### ${name}\n\n${values.length === 0 ? "The defaults above." : `${values.join(", ")}.`}\n`,
    );
  }
  const count = paramsOf("boost").size;
  parts.push(`\`boost\` has ${count} parameters.\n`);
  return parts.join("\n");
}

/** The page as `deno fmt` leaves it. */
async function formatted(text: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", "md", "--line-width", "100", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

if (import.meta.main) {
  const page = await formatted(parametersPage());
  if (Deno.args.includes("--check")) {
    const found = await Deno.readTextFile(PATH).catch(() => "");
    if (found !== page) {
      // deno-lint-ignore no-console
      console.error(
        "docs/parameters.md is not what src/params says: run tools/write_parameters.ts",
      );
      Deno.exit(1);
    }
  } else {
    await Deno.writeTextFile(PATH, page);
  }
}
