import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainId3 } from "../../../../src/algorithms/classic/id3.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import { DataError } from "../../../../src/errors.ts";
import type { Model } from "../../../../src/model/model.ts";

/** Quinlan's weather with categories: gains of the root and below it are in the tests. */
const WEATHER = "outlook,temperature,humidity,windy,play\n" +
  "sunny,hot,high,no,no\nsunny,hot,high,yes,no\novercast,hot,high,no,yes\n" +
  "rainy,mild,high,no,yes\nrainy,cool,normal,no,yes\nrainy,cool,normal,yes,no\n" +
  "overcast,cool,normal,yes,yes\nsunny,mild,high,no,no\nsunny,cool,normal,no,yes\n" +
  "rainy,mild,normal,no,yes\nsunny,mild,normal,yes,yes\novercast,mild,high,yes,yes\n" +
  "overcast,hot,normal,no,yes\nrainy,mild,high,yes,no\n";
const weather = () => parseCsv(WEATHER, { target: "play" });

const nodesOf = (model: Model) => model.ensemble.trees.kind.length;

// Below outlook, 5 cases each: humidity (sunny) and windy (rainy) gain all of H(2/5) = 0.970950594 bits
// a case; the root gains 0.24674981977443933 (goldens/formulas.txt).
Deno.test("minGain (sigma) is the least gain per case of a split of trainId3()", async () => {
  const at = async (minGain: number) => nodesOf(await trainId3(weather(), { minGain }));
  assertEquals(await at(0), 8);
  assertEquals(await at(0.24674981), 8);
  // A strong split below a weak one is not looked for: sigma prunes before growth.
  assertEquals(await at(0.2467499), 1);
  const { trees } = (await trainId3(weather(), { sigma: 0.1 })).ensemble;
  assertAlmostEquals(trees.gain[0] / 14, 0.24674981977443933, 1e-14);
  const below = [...trees.gain].filter((gain) => gain > 0).slice(1);
  below.forEach((gain) => assertAlmostEquals(gain / 5, 0.9709505944546686, 1e-14));
});

/** The parity of a and b; c tells nothing. */
const PARITY = "a,b,c,y\n0,0,p,even\n0,1,p,odd\n1,0,p,odd\n1,1,p,even\n" +
  "0,0,q,even\n0,1,q,odd\n1,0,q,odd\n1,1,q,even\n";
const parity = () =>
  parseCsv(PARITY, { target: "y", types: { a: "categorical", b: "categorical" } });

Deno.test("strict goes on splitting at gain 0 while attributes remain", async () => {
  const plain = await trainId3(parity());
  assertEquals(nodesOf(plain), 1);
  const strict = await trainId3(parity(), { strict: true });
  // The first attribute, though it gains nothing; then the second gains all.
  assertEquals([...strict.ensemble.trees.gain], [0, 4, 4, 0, 0, 0, 0]);
  assertEquals(
    strict.predictClass(parity()),
    parity().target!.kind === "classification"
      ? ["even", "odd", "odd", "even", "even", "odd", "odd", "even"]
      : [],
  );
});

Deno.test("strict ends where no attribute is left, and an attribute is used once on a path", async () => {
  // Two cases of one description and two classes.
  const clash = parseCsv("a,b,y\np,u,no\np,u,yes\nq,u,no\nq,v,yes\nq,v,yes\n", { target: "y" });
  const { ensemble: { trees } } = await trainId3(clash, { strict: true });
  const visit = (node: number, used: readonly number[]): void => {
    if (trees.kind[node] === 0) return;
    assert(!used.includes(trees.feature[node]));
    for (let b = 0; b < 2; b++) visit(trees.firstChild[node] + b, [...used, trees.feature[node]]);
  };
  visit(0, []);
  const model = await trainId3(clash, { strict: true });
  // A tie goes to the class that is earlier in the list.
  assertEquals(model.predictClass({ a: "p", b: "u" }), [model.schema.classes[0]]);
});

Deno.test("trainId3() refuses numbers and missing values by column and row", async () => {
  const numbers = parseCsv("x,y\n1.5,a\n2.5,b\n", { target: "y" });
  const holes = parseCsv("c,y\np,a\n,b\nq,b\n", { target: "y" });
  for (const [data, column] of [[numbers, "x"], [holes, "c"]] as const) {
    const error = await assertRejects(() => trainId3(data), DataError);
    assertEquals([error.code, error.details.column], ["E_DATA_TYPE", column]);
  }
  const error = await assertRejects(() => trainId3(holes), DataError);
  assertEquals(error.details.row, 2);
});
