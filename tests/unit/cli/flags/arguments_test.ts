import { assertEquals, assertThrows } from "@std/assert";
import { choicesText, parseArguments } from "../../../../src/cli/flags/arguments.ts";
import type { Command } from "../../../../src/cli/common/command.ts";
import { UsageError } from "../../../../src/errors.ts";

const command: Command = {
  name: "score",
  about: "Score",
  arguments: [{ name: "MODEL", about: "", required: true }, {
    name: "DATA",
    about: "",
    required: false,
  }],
  groups: [{
    title: "Flags",
    flags: [
      { name: "out", short: "o", kind: "text", about: "" },
      { name: "force", kind: "switch", about: "" },
      { name: "lambda", kind: "number", about: "" },
      { name: "keep", kind: "list", about: "" },
      { name: "set", kind: "repeat", about: "" },
      { name: "kind", kind: "text", choices: ["value", "proba"], about: "" },
      { name: "keep-all", kind: "text", value: "true|false", about: "" },
    ],
  }],
  examples: [],
  run: () => Promise.resolve(),
};

const parse = (...args: string[]) => parseArguments(command, args);

function complaint(...args: string[]): string {
  return assertThrows(() => parse(...args), UsageError).message;
}

Deno.test("parseArguments() reads values that begin with a dash", () => {
  const { args, flags } = parse("m", "-", "--out", "-", "--lambda", "-1.5");
  assertEquals(args, ["m", "-"]);
  assertEquals(flags.text("out"), "-");
  assertEquals(flags.number("lambda"), -1.5);
});

Deno.test("parseArguments() keeps values as text: leading zeros and = signs stay", () => {
  const { flags } = parse("m", "--out=a=b", "--set", "k=007", "--set", "l=x");
  assertEquals(flags.text("out"), "a=b");
  assertEquals(flags.repeated("set"), ["k=007", "l=x"]);
});

Deno.test("parseArguments() reads short names, lists, switches, and stops at --", () => {
  const { args, flags } = parse("-o", "x", "--keep", "a, b,", "--force", "--", "--m");
  assertEquals(args, ["--m"]);
  assertEquals(flags.text("out"), "x");
  assertEquals(flags.list("keep"), ["a", "b"]);
  assertEquals([flags.has("force"), flags.has("json")], [true, false]);
});

Deno.test("parseArguments() answers an unknown flag with the nearest known one", () => {
  assertEquals(
    complaint("m", "--ou", "x"),
    "Cannot use --ou: there is no such flag; the nearest is --out",
  );
  assertEquals(
    complaint("m", "--forse=1"),
    "Cannot use --forse: there is no such flag; the nearest is --force",
  );
});

Deno.test("parseArguments() names no flag or value that is merely the least far", () => {
  assertEquals(complaint("m", "-y"), "Cannot use -y: there is no such flag");
  assertEquals(complaint("m", "--sigmoid"), "Cannot use --sigmoid: there is no such flag");
  assertEquals(
    complaint("m", "--kind", "sigmoid"),
    'Cannot use --kind "sigmoid": expected value, proba',
  );
});

Deno.test("values that are punctuation stand in quotes", () => {
  const choices = [".", ",", "none"];
  assertEquals(choicesText(choices), '".", ",", none');
});

Deno.test("parseArguments() knows flags and values by their names elsewhere", () => {
  assertEquals(complaint("m", "--output=x"), "Cannot use --output: its name here is --out");
  assertEquals(
    complaint("m", "--predict_proba"),
    "Cannot use --predict_proba: its name here is --kind proba",
  );
  assertEquals(
    complaint("m", "--kind", "probability"),
    'Cannot use --kind "probability": expected value, proba; its name here is proba',
  );
  // This command has no --threads.
  assertEquals(complaint("m", "--n-jobs"), "Cannot use --n-jobs: there is no such flag");
});

Deno.test("parseArguments() says of an argument that is given as a flag that it is none", () => {
  assertEquals(complaint("m", "--data", "d"), "Cannot use --data: DATA stands without a flag");
  assertEquals(complaint("--model=m"), "Cannot use --model: MODEL stands without a flag");
});

Deno.test("parseArguments() takes true where a flag of true or false stands alone", () => {
  assertEquals(parse("m", "--keep-all").flags.text("keep-all"), "true");
  const { args, flags } = parse("m", "--keep-all", "--out", "x", "d");
  assertEquals([args, flags.text("keep-all"), flags.text("out")], [["m", "d"], "true", "x"]);
  assertEquals(parse("m", "--keep-all", "false").flags.text("keep-all"), "false");
});

Deno.test("parseArguments() takes no flag for a value", () => {
  assertEquals(
    complaint("m", "--out", "--kind", "proba"),
    "Cannot read --out: a value must follow it, found --kind",
  );
  assertEquals(parse("m", "--out=--kind").flags.text("out"), "--kind");
});

Deno.test("parseArguments() refuses what it cannot read", () => {
  assertEquals(complaint("m", "--out"), "Cannot read --out: a value must follow it");
  assertEquals(complaint("m", "--force=yes"), "Cannot read --force=yes: --force takes no value");
  assertEquals(complaint(), "Cannot score: MODEL is missing");
  assertEquals(complaint("m", "d", "e"), 'Cannot score: "e" is one argument too many');
  assertEquals(
    complaint("m", "--out", "a", "--out", "b"),
    "Cannot use --out 2 times: once is enough",
  );
  assertEquals(
    complaint("m", "--kind", "prob"),
    'Cannot use --kind "prob": expected value, proba; the nearest is proba',
  );
  const { flags } = parse("m", "--lambda", "1e");
  assertThrows(
    () => flags.number("lambda"),
    UsageError,
    'Cannot use --lambda "1e": expected a number',
  );
});

Deno.test("parseArguments() reads lists, whose items may be in quotes", () => {
  const items = (list: string) => parse("m", `--keep=${list}`).flags.list("keep");
  assertEquals(items("a, b ,,c"), ["a", "b", "c"]);
  assertEquals(items('"a, b",c'), ["a, b", "c"]);
  assertEquals(items('c," a ","say ""x"""'), ["c", " a ", 'say "x"']);
  assertEquals(items('5" pipe,"open'), ['5" pipe', '"open']); // no quoted item ends there
  assertEquals(items(""), []);
});
