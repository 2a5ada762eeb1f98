import { assert, assertAlmostEquals, assertEquals, assertRejects } from "@std/assert";
import { trainGbdt } from "../../../../src/algorithms/classic/gbdt.ts";
import { trainLogitBoost } from "../../../../src/algorithms/classic/logitboost.ts";
import { parseCsv } from "../../../../src/data/csv/parse.ts";
import type { Dataset } from "../../../../src/data/types.ts";
import type { RoundReport } from "../../../../src/ensemble/types.ts";
import { ParameterError, TrainingError } from "../../../../src/errors.ts";
import { evaluate } from "../../../../src/evaluate/evaluate.ts";
import type { Model } from "../../../../src/model/model.ts";
import { createRng } from "../../../../src/util/rng.ts";

/** A number, a category and a noisy class; some values are missing. */
function rows(seed: number, count: number, categories: readonly string[]): Dataset {
  const rng = createRng(seed);
  const lines = ["x,c,y"];
  for (let i = 0; i < count; i++) {
    const x = rng.nextFloat();
    const at = rng.nextInt(categories.length);
    const score = x + (at % 3) / 4 + 0.8 * rng.nextFloat();
    const shown = rng.nextFloat() < 0.1 ? "" : x.toFixed(2);
    lines.push(`${shown},${categories[at]},${score > 1.1 ? "yes" : "no"}`);
  }
  return parseCsv(lines.join("\n") + "\n", { target: "y" });
}

const TRAIN = rows(1, 200, ["p", "q", "r", "s"]);
/** With categories that training did not show. */
const VALID = rows(2, 120, ["p", "q", "r", "s", "t", "u"]);
const PARAMS = { rounds: 120, learningRate: 0.5, maxDepth: 3 };
const TRAINERS = { gbdt: trainGbdt, logitboost: trainLogitBoost };

for (const [name, train] of Object.entries(TRAINERS)) {
  Deno.test(`${name} tells each round what the model of that round scores on a validation set`, async () => {
    for (const unknown of ["heavier", "missing", "node"] as const) {
      const reports: RoundReport[] = [];
      const model = await train(TRAIN, { ...PARAMS, rounds: 10, unknown }, {
        valid: { held: VALID },
        onRound: (report) => reports.push(report),
      });
      assertEquals(reports.length, 10);
      reports.forEach(({ metrics }, r) => {
        const { data } = model.predictProba(VALID, { rounds: r + 1 });
        const { codes } = VALID.target as { readonly codes: Int32Array };
        let loss = 0;
        codes.forEach((code, row) => loss -= Math.log(data[2 * row + code]));
        assertAlmostEquals(metrics.held.logLoss, loss / VALID.numRows, 1e-12, `round ${r + 1}`);
      });
    }
  });

  Deno.test(`${name} refuses a validation set with offsets, from which it starts no row`, async () => {
    const held = { ...VALID, offset: new Float64Array(VALID.numRows).fill(5) };
    const error = await assertRejects(
      () => train(TRAIN, { ...PARAMS, earlyStoppingRounds: 2 }, { valid: { held } }),
      ParameterError,
    );
    assertEquals([error.code, error.details.param], ["E_PARAM_CONFLICT", "offset"]);
  });

  Deno.test(`${name} with earlyStoppingRounds keeps the best prefix`, async () => {
    const losses: number[] = [];
    const whole = await train(TRAIN, PARAMS, {
      valid: VALID,
      onRound: ({ metrics }) => losses.push(metrics.valid.logLoss),
    });
    const best = losses.indexOf(Math.min(...losses.slice(0, 60)));
    assert(best + 1 < 40, `best round ${best + 1}`);
    let told = 0;
    const model = await train(TRAIN, { ...PARAMS, earlyStoppingRounds: 20 }, {
      valid: VALID,
      onRound: () => told++,
    });
    assertEquals(model.numRounds, best + 1);
    assertEquals(told, best + 1 + 20);
    const { metrics } = evaluate(model, VALID);
    assertAlmostEquals(metrics.logLoss, losses[best], 1e-12);
    const stored = model.info.best!;
    assertEquals([stored.metric, stored.set, stored.round], ["logLoss", "valid", best + 1]);
    assertEquals(stored.value, losses[best]);
    assertEquals(model.predictProba(VALID), whole.predictProba(VALID, { rounds: best + 1 }));
  });

  Deno.test(`${name} holds rows out where early stopping has no set, and says so`, async () => {
    const warnings: string[] = [];
    const model = await train(TRAIN, { ...PARAMS, earlyStoppingRounds: 5, validFraction: 0.25 }, {
      onWarning: (message) => warnings.push(message),
    });
    assertEquals(warnings, [
      "No validation set: held out 50 of 200 rows (by class) for early stopping, seed 0",
    ]);
    assertEquals(model.info.best!.set, "heldOut");
    assertEquals(model.info.numRows, 150);
  });

  Deno.test(`${name} hands over the rounds so far when aborted`, async () => {
    const whole = await train(TRAIN, { ...PARAMS, rounds: 20 });
    const stop = new AbortController();
    const error = await assertRejects(
      () =>
        train(TRAIN, { ...PARAMS, rounds: 20 }, {
          signal: stop.signal,
          onRound: ({ round }) => round === 7 && stop.abort("enough"),
        }),
      TrainingError,
    );
    assertEquals([error.code, error.details.rounds, error.cause], ["E_TRAIN_ABORTED", 7, "enough"]);
    const model = error.details.model as Model;
    assertEquals(model.numRounds, 7);
    assertEquals(model.predictProba(VALID), whole.predictProba(VALID, { rounds: 7 }));
  });
}

// Two rows, y = 0 and 10, F₀ = 5; half of the rows is one. Whichever is drawn, its leaf goes half of
// the way to its label (5 → 2.5 or 7.5), and the other row's error grows from 5 to 7.5:
// ½ · 5² − ½ · 7.5² = −15.625. Where y is the same for all rows nothing can improve.
Deno.test("trainGbdt() records the improvement of the rows that a round did not draw", async () => {
  const data = (values: number[]): Dataset => ({
    numRows: 2,
    features: [{ kind: "numeric", name: "x", values: new Float64Array([1, 2]) }],
    target: { kind: "regression", name: "y", values: Float64Array.from(values) },
  });
  for (const seed of [0, 1, 2, 3]) {
    const params = { rounds: 1, learningRate: 0.5, subsample: 0.5, seed };
    const model = await trainGbdt(data([0, 10]), params);
    assertEquals(model.info.oobImprovement, [-15.625]);
    const flat = await trainGbdt(data([4, 4]), { ...params, rounds: 3 });
    assertEquals(flat.info.oobImprovement, [0, 0, 0]);
  }
  const all = await trainGbdt(data([0, 10]), { rounds: 1, learningRate: 0.5 });
  assertEquals("oobImprovement" in all.info, false);
});

Deno.test("improvements out of the bag end with the rounds that early stopping keeps", async () => {
  const model = await trainGbdt(
    TRAIN,
    { ...PARAMS, subsample: 0.6, earlyStoppingRounds: 10 },
    { valid: VALID },
  );
  const improvement = model.info.oobImprovement as number[];
  assertEquals(improvement.length, model.numRounds);
  // A first round on noisy but learnable classes helps rows that it has not seen.
  assert(improvement[0] > 0, `${improvement[0]}`);
});
