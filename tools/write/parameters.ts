/**
 * Writes docs/parameters.md and src/params/typed.ts from the parameter table; with `--check` only
 * compares.
 *
 *     deno run -A tools/write/parameters.ts [--check]
 *
 * @module
 */
import { PRESET_NAMES, presetParams } from "../../src/params/presets.ts";
import { describeRange } from "../../src/params/check_value.ts";
import { kebab } from "../../src/params/resolve.ts";
import { ALGORITHM_NAMES, PARAM_TABLES, paramsOf } from "../../src/params/table.ts";
import type { AlgorithmName, ParamSpec } from "../../src/params/types.ts";

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
function parametersPage(): string {
  const parts = [
    "# Parameters\n",
    "<!-- Written by tools/write/parameters.ts from src/params: edit those, then run it. -->\n",
    "Each parameter has one name here, and also accepts the names that XGBoost, LightGBM, CatBoost " +
    "and scikit-learn use for it, in `camelCase`, `snake_case` or `kebab-case`. A wrong name is " +
    "refused, and the error names the nearest right one; a value outside its range is refused, and " +
    "the error names the range. The TypeScript types know each name as it stands here, in " +
    "`snake_case`, and as those libraries write it.\n",
  ];
  for (const table of PARAM_TABLES) {
    const entries = Object.entries(table);
    const algorithms = [...new Set(entries.flatMap(([, spec]) => spec.algorithms))];
    parts.push(`## ${algorithms.join(", ")}\n`);
    for (const [name, spec] of entries) parts.push(section(name, spec));
  }
  parts.push("## Presets\n");
  parts.push(
    "A preset is a versioned set of defaults for `boost`. Parameters that are given explicitly take " +
      "precedence; parameters that a preset leaves out keep the defaults above.\n",
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

/** Type of an algorithm's parameters, and the function that takes it. */
const TYPES: { readonly [name in AlgorithmName]: readonly [type: string, trainer: string] } = {
  boost: ["BoostParams", "trainBoost"],
  gbdt: ["GbdtParams", "trainGbdt"],
  logitboost: ["LogitBoostParams", "trainLogitBoost"],
  adaboost: ["AdaBoostParams", "trainAdaBoost"],
  id3: ["Id3Params", "trainId3"],
  c45: ["C45Params", "trainC45"],
  cart: ["CartParams", "trainCart"],
  bagging: ["BaggingParams", "trainBagging"],
  "random-forest": ["RandomForestParams", "trainRandomForest"],
  "extra-trees": ["ExtraTreesParams", "trainExtraTrees"],
};

/** What a script may write for a parameter; texts of flags and files are not said. */
function scriptType(spec: ParamSpec): string {
  const words = (list: readonly string[] = []) => list.map((word) => JSON.stringify(word));
  const entry = ["number", ...words(spec.entries)].join(" | ");
  const kinds: { readonly [kind in ParamSpec["kind"]]: readonly string[] } = {
    number: ["number"],
    integer: ["number"],
    boolean: ["boolean"],
    choice: [],
    text: ["string"],
    numbers: ["readonly number[]"],
    texts: ["readonly string[]"],
    table: [
      `{ readonly [name: string]: ${entry} }`,
      ...(spec.byPosition ? [`readonly (${entry})[]`] : []),
    ],
    groups: ["readonly (readonly string[])[]"],
    value: ["unknown"],
  };
  return [...kinds[spec.kind], ...words(spec.choices)].join(" | ");
}

/** Other names of an algorithm's parameters, as the libraries write them; ours in snake_case. */
function otherNames(algorithm: AlgorithmName): string[] {
  const params = paramsOf(algorithm);
  const names = [...params].flatMap(([name, spec]) => [
    kebab(name).replaceAll("-", "_"),
    ...spec.aliases,
  ]);
  return [...new Set(names)].filter((name) => !params.has(name));
}

/** A comment of lines that fit into `width`. */
function comment(paragraphs: readonly string[], width: number): string {
  const lines: string[] = [];
  for (const paragraph of paragraphs) {
    if (lines.length > 0) lines.push("");
    let line = "";
    for (const word of paragraph.split(" ")) {
      if (line !== "" && line.length + 1 + word.length > width - 3) {
        lines.push(line);
        line = "";
      }
      line += line === "" ? word : ` ${word}`;
    }
    lines.push(line);
  }
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`;
}

/** The file of types. */
function typedSource(): string {
  const parts = [
    "/**\n * Parameters of each algorithm as scripts write them. docs/parameters.md has their ranges. They are\n" +
    " * types because an interface would not be a {@linkcode ParamInput}.\n *\n" +
    " * Written by tools/write/parameters.ts from the tables beside this file.\n *\n * @module\n */\n",
  ];
  for (const algorithm of ALGORITHM_NAMES) {
    const [type, trainer] = TYPES[algorithm];
    const fields = [...paramsOf(algorithm)].map(([name, spec]) =>
      comment([
        spec.doc,
        ...(spec.default === undefined ? [] : [`@default ${JSON.stringify(spec.default)}`]),
      ], 98) + `readonly ${name}?: ${scriptType(spec)};\n`
    );
    parts.push(
      `/** Parameters of \`${trainer}\`. */\nexport type ${type} = {\n${fields.join("")}};\n`,
    );
  }
  const resolved = ALGORITHM_NAMES.map((algorithm) => {
    const absent = [...paramsOf(algorithm)].filter(([, spec]) => spec.default === undefined);
    const names = absent.map(([name]) => JSON.stringify(name)).join(" | ");
    const key = algorithm.includes("-") ? JSON.stringify(algorithm) : algorithm;
    return `readonly ${key}: Filled<${TYPES[algorithm][0]}, ${names || "never"}>;\n`;
  });
  const inputs = ALGORITHM_NAMES.map((algorithm) => {
    const names = otherNames(algorithm).map((name) => JSON.stringify(name)).join(" | ");
    const key = algorithm.includes("-") ? JSON.stringify(algorithm) : algorithm;
    return `readonly ${key}: ${TYPES[algorithm][0]} & OtherNames<${names}>;\n`;
  });
  parts.push(
    "/** Parameters by the names of other libraries; training checks their values. */\n" +
      "export type OtherNames<Names extends string> = { readonly [name in Names]?: unknown };\n",
    "/** What the trainer of each algorithm takes: its parameters, by any of their names. */\n" +
      `export type ParamsFor = {\n${inputs.join("")}};\n`,
    "/** Parameters of which all but some are there. */\nexport type Filled<P, Absent extends keyof P> = Required<Omit<P, Absent>> & Pick<P, Absent>;\n",
    "/** Parameters of each algorithm with their defaults: those without one may be absent. */\n" +
      `export type ResolvedParams = {\n${resolved.join("")}};\n`,
  );
  return parts.join("\n");
}

/** Text as `deno fmt` leaves it. */
async function formatted(text: string, ext: string): Promise<string> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["fmt", "--ext", ext, "--line-width", "100", "-"],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
  return new TextDecoder().decode((await child.output()).stdout);
}

if (import.meta.main) {
  const files = {
    "docs/parameters.md": await formatted(parametersPage(), "md"),
    "src/params/typed.ts": await formatted(typedSource(), "ts"),
  };
  for (const [path, text] of Object.entries(files)) {
    const url = new URL(`../../${path}`, import.meta.url);
    if (!Deno.args.includes("--check")) {
      await Deno.writeTextFile(url, text);
    } else if (await Deno.readTextFile(url).catch(() => "") !== text) {
      // deno-lint-ignore no-console
      console.error(`${path} is not what src/params says: run tools/write/parameters.ts`);
      Deno.exit(1);
    }
  }
}
