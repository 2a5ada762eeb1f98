/** CASES B: columns are known by name, never by position. */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import {
  csvBatches,
  decodeModel,
  encodeModel,
  type Model,
  ModelError,
  parseCsv,
  trainBoost,
} from "../../mod.ts";

const small = { rounds: 4, minRowsPerLeaf: 1, minChildWeight: 0, lambda: 0 };

/** Lines of CSV; `|` stands for a newline, as in CASES. */
const csv = (text: string) => text.replaceAll("|", "\n") + "\n";

async function scoreCsv(model: Model, text: string): Promise<number[]> {
  const scores: number[] = [];
  for await (const { data } of csvBatches(new Blob([csv(text)]).stream(), model.schema)) {
    scores.push(...model.predictValue(data));
  }
  return scores;
}

Deno.test("CASES B1: columns in another order give the same scores, in CSV and in rows", async () => {
  const model = await trainBoost(
    parseCsv(csv("x1,x2,y|0,1,1|1,0,0|0,0,1|1,1,0"), { target: "y" }),
    small,
  );
  const scores = await scoreCsv(model, "x1,x2|0,1|1,0|0,0|1,1");
  assert(scores[0] > scores[1] && scores[0] === scores[2] && scores[1] === scores[3]);
  assertEquals(await scoreCsv(model, "x2,x1|1,0|0,1|0,0|1,1"), scores);
  assertEquals(await scoreCsv(model, "id,x2,y,x1|7,1,1,0|8,0,0,1"), scores.slice(0, 2));
  assertEquals([...model.predictValue([{ x2: 1, x1: 0 }, { x2: 0, x1: 1 }])], scores.slice(0, 2));
  assertEquals([...model.predictValue(parseCsv(csv("x2,x1|1,0|0,1")))], scores.slice(0, 2));
});

Deno.test("CASES B2: an absent column is refused, an unknown one ignored and reported", async () => {
  const data = parseCsv(csv("age,income,y|30,1,1|40,2,2|50,3,3|60,4,4"), { target: "y" });
  const model = await trainBoost(data, small);
  const absent = assertThrows(() => model.predictValue({ age: 30 }), ModelError);
  assertEquals([absent.code, absent.details.columns], ["E_MODEL_SCHEMA", ["income"]]);
  assertThrows(() => model.predictValue({ age: 30 }, { columns: "strict" }), ModelError);
  await assertRejects(() => scoreCsv(model, "age|30"), ModelError, "income");
  let ignored: readonly string[] = [];
  model.predictValue({ age: 30, income: 1, zip: 9 }, { onReport: (r) => ignored = r.ignored });
  assertEquals(ignored, ["zip"]);
  assertThrows(
    () => model.predictValue({ age: 30, income: 1, zip: 9 }, { columns: "strict" }),
    ModelError,
    "zip",
  );
});

Deno.test("CASES B2: an absent column is missing where the model learnt what missing means", async () => {
  const data = parseCsv(csv("age,income,y|30,,1|40,,1|30,3,5|40,4,5"), { target: "y" });
  const model = await trainBoost(data, small);
  let absent: readonly string[] = [];
  const [score] = model.predictValue({ age: 30 }, { onReport: (report) => absent = report.absent });
  assertEquals(absent, ["income"]);
  assertEquals(score, model.predictValue({ age: 30, income: null })[0]);
  assertThrows(() => model.predictValue({ age: 30 }, { columns: "strict" }), ModelError);
});

Deno.test("CASES B4: any text is a column name from training to a stored model", async () => {
  const text = csv(
    `a<x,"дистанция, km",__proto__,"b[0]: ""q""",y|1,5,1,0,1|2,6,2,0,2|3,7,1,1,3|4,8,2,1,4`,
  );
  const data = parseCsv(text, { target: "y" });
  const model = decodeModel(encodeModel(await trainBoost(data, small)));
  const names = ["a<x", "дистанция, km", "__proto__", 'b[0]: "q"'];
  assertEquals(model.schema.features.map((feature) => feature.name), names);
  const row = JSON.parse(`{"a<x": 2, "дистанция, km": 6, "__proto__": 2, "b[0]: \\"q\\"": 0}`);
  assertEquals(model.predictValue(row)[0], model.predictValue(data)[1]);
});
