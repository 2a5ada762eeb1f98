/** One vocabulary for `--json`: docs/cli.md has every key that a command prints, with its type. */
import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../../src/cli/commands.ts";
import { cli } from "../../support/cli.ts";
import { type TempFolder, tempFolder } from "../../support/temp.ts";

type Json = { readonly [key: string]: unknown };

/** Types by key, of the table in docs/cli.md. */
async function documented(): Promise<ReadonlyMap<string, string>> {
  const text = await Deno.readTextFile(new URL("../../../docs/cli.md", import.meta.url));
  const [, part] = text.split("## Keys of `--json`");
  const rows = part!.split("\n## ")[0]!.matchAll(/^\| (`[^|]*`) *\| (\w+) *\|/gm);
  return new Map(
    [...rows].flatMap(([, keys, type]) =>
      [...keys!.matchAll(/`(\w+)`/g)].map(([, key]) => [key!, type!] as const)
    ),
  );
}

function typeOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** A table of two classes, one of numbers with queries, expected scores, and a model of each. */
async function prepared(folder: TempFolder) {
  const rows = Array.from({ length: 120 }, (_, i) => [i * 37 % 101, "abc"[i % 3], i % 7]);
  const write = (name: string, head: string, last: (x: number, i: number) => unknown) =>
    folder.write(
      name,
      `${head}\n${rows.map(([x, c, q], i) => `${x},${c},${q},${last(x as number, i)}\n`).join("")}`,
    );
  const classes = await write("classes.csv", "x,c,q,y", (x, i) => x + i % 20 > 60 ? "yes" : "no");
  const numbers = await write("numbers.csv", "x,c,q,y", (x, i) => x + i % 5);
  const made = async (name: string, data: string, ...flags: string[]) => {
    const out = folder.file(name);
    const run = await cli(["train", data, "-t", "y", ...flags, "-o", out]);
    assertEquals(run.code, 0, run.stderr);
    return out;
  };
  const model = await made("classes.tlm", classes, "--rounds", "8");
  const price = await made("numbers.tlm", numbers, "--rounds", "40", "--missing", "?");
  const linear = await made("linear.tlm", numbers, "--rounds", "20", "--linear-tree", "true");
  const rank = ["--loss", "lambdarank", "--rounds", "3", "--group", "q"];
  const ranked = await write("ranked.csv", "x,c,r,y", (x) => Math.floor(x / 40));
  const sorted = (await Deno.readTextFile(ranked)).trim().split("\n");
  const queries = await folder.write(
    "queries.csv",
    `x,c,q,y\n${
      sorted.slice(1).sort((a, b) => a.split(",")[2]!.localeCompare(b.split(",")[2]!)).join("\n")
    }\n`,
  );
  const ranking = await made("ranking.tlm", queries, ...rank);
  const lessBytes = String(Math.round(0.35 * (await Deno.stat(price)).size));
  const scores = await folder.write(
    "scores.csv",
    (await cli(["predict", price, numbers])).stdout.replace(/\n\S+\n/, "\n0\n"),
  );
  return { classes, numbers, queries, model, price, linear, ranking, scores, lessBytes };
}

type Prepared = Awaited<ReturnType<typeof prepared>>;

/** Command lines; `OUT` is a new file. */
const lines = (p: Prepared): readonly string[][] => [
  ["train", p.classes, "-t", "y", "--valid-fraction", "0.2", "--rounds", "5", "-o", "OUT"],
  ["train", p.numbers, "-t", "y", "-a", "random-forest", "--set", "trees=9"],
  ["tune", p.classes, "-t", "y", "--trials", "2", "--folds", "2", "--only", "maxDepth"],
  ["predict", p.model, p.classes, "--kind", "proba"],
  ["evaluate", p.model, p.classes],
  ["evaluate", p.ranking, p.queries, "--group", "q"],
  ["evaluate", p.price, p.numbers, "--folds", "2"],
  ["calibrate", p.model, p.classes, "-o", "OUT"],
  ["continue", p.model, p.classes, "--rounds", "2", "-o", "OUT"],
  ["refit", p.model, p.classes, "-o", "OUT"],
  ["inspect", p.price],
  ["inspect", p.model, "--tree", "0"],
  ["convert", p.model, "--to", "json", "-o", "OUT"],
  ["verify", p.price, "-i", p.numbers, "-e", p.scores],
  ["shrink", p.price, "--max-size", p.lessBytes, "-o", "OUT"],
  ["shrink", p.linear, "--max-size", "4000", "-i", p.numbers, "-o", "OUT"],
  ["explain", p.model, p.classes],
  ["explain", p.model, "--method", "importance"],
  ["explain", p.model, p.classes, "--method", "importance"],
  ["serve", p.model, "--port", "0"],
  ["types", p.model],
  ["types", p.model, "-o", "OUT"],
  ["openapi", p.model],
  ["openapi", p.model, "-o", "OUT"],
  ["params"],
  ["params", "-a", "random-forest"],
  ["params", "maxDepth"],
  ["params", "loss"],
  ["completions", "bash"],
  ["help"],
  ["help", "train"],
  ["version"],
];

/** Commands whose lists have rows of the user's own columns, and a document of another's. */
const ROWS = ["predict", "explain"];
const FOREIGN = ["openapi"];

Deno.test("--json has one vocabulary in all commands, and docs/cli.md has all of it", async () => {
  await using folder = await tempFolder();
  const types = await documented();
  const all = lines(await prepared(folder));
  assertEquals(
    new Set(all.map(([name]) => name)),
    new Set(COMMANDS.map(({ name }) => name)),
  );
  const seen = new Set<string>();
  for (const [i, line] of all.entries()) {
    const out = folder.file(`out${i}`);
    const args = [...line.map((word) => word === "OUT" ? out : word), "--json"];
    const run = await cli(args, { listen: () => Promise.resolve(LISTENING) });
    assertEquals(run.code, line[0] === "verify" ? 7 : 0, `${args.join(" ")}\n${run.stderr}`);
    const told = JSON.parse(run.stdout);
    if (Array.isArray(told) && ROWS.includes(line[0]!)) continue;
    if (FOREIGN.includes(line[0]!) && !line.includes("OUT")) continue;
    for (const one of [told].flat() as Json[]) {
      for (const [key, value] of Object.entries(one)) {
        seen.add(key);
        const type = types.get(key);
        const right = type === "any" || type === typeOf(value) || value === null;
        assertEquals(right, true, `${line[0]}: ${key} is ${typeOf(value)}, documented ${type}`);
      }
    }
    if (!line.includes("OUT")) continue;
    const bytes = await Deno.readFile(out);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    assertEquals([told.out, told.byteLength, told.sha256], [
      out,
      bytes.length,
      [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    ]);
  }
  const idle = [...types.keys()].filter((key) => !seen.has(key));
  assertEquals(idle, [], "keys that no command printed");
});

const LISTENING = { url: "http://localhost:1/", finished: Promise.resolve() };
