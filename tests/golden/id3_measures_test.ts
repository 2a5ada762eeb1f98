// deno-lint-ignore-file camelcase -- names of the reference file
import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { trainId3 } from "../../src/algorithms/classic/id3.ts";
import type { Dataset } from "../../src/data/types.ts";
import { entropyCriterion } from "../../src/grow/criterion/entropy.ts";
import { giniCriterion } from "../../src/grow/criterion/gini.ts";
import { contextOf, NO_LIMITS } from "../../src/grow/plan/plan.ts";
import { createFrame } from "../../src/grow/rows/frame.ts";
import { sourceOf, weightedRows } from "../../src/grow/rows/source.ts";
import { type ClassSource, createNodeView, fillNodeView } from "../../src/grow/rows/stats.ts";
import { createScratch } from "../../src/grow/splitter/scratch.ts";
import { readReference, readTable } from "../support/reference/classic_data.ts";
import { hasShared } from "../support/shared.ts";

const ignore = !hasShared("reference/id3/root_measures.json");
// deno-lint-ignore no-console
if (ignore) console.log("skipped: ../shared/reference is absent");

interface Measures {
  readonly levels: number;
  readonly information_gain: number;
  readonly split_information: number;
  readonly gain_ratio: number;
  readonly gini_gain_multiway: number;
}

interface RootMeasures {
  readonly rows: number;
  readonly entropy_bits: number;
  readonly gini: number;
  readonly attributes: { readonly [name: string]: Measures };
}

/** Every column as categories; "?" is a level of its own. */
function dataOf(file: string, attributes: readonly string[]): Dataset {
  const types = Object.fromEntries(attributes.map((name) => [name, "categorical"] as const));
  const target = file === "play_tennis.csv" ? "play" : "class";
  return readTable(file, { target, task: "classification", types, missing: [""] });
}

/** What the splitter of ID3 and C4.5 finds at the root, and the gain of Gini over its branches. */
function rootOf(data: Dataset) {
  const frame = createFrame(data);
  const source = sourceOf(data) as ClassSource;
  const context = contextOf(
    {
      criterion: "entropy",
      splitter: "id3",
      missing: "fractional",
      order: "depth-first",
      limits: NO_LIMITS,
      minUnitGain: -1,
    },
    frame,
    source,
  );
  const view = createNodeView(source, data.numRows);
  view.rows = weightedRows(data.numRows, undefined);
  view.to = data.numRows;
  fillNodeView(view, source);
  const channels = source.numClasses + 1;
  const most = Math.max(...frame.features.map(({ numCodes }) => numCodes));
  const scratch = createScratch(data.numRows, most, channels);
  const split = { ...context, scratch, maxExhaustive: 10 };
  return {
    total: view.total,
    numClasses: source.numClasses,
    find: (feature: number) => context.categorical(view, feature, split, undefined),
    giniGain(feature: number): number {
      const { codes, numCodes } = frame.features[feature];
      const children = new Float64Array(numCodes * channels);
      for (let row = 0; row < data.numRows; row++) {
        children[codes[row] * channels + source.codes[row]]++;
        children[codes[row] * channels + channels - 1]++;
      }
      const { impurity } = giniCriterion(source.numClasses);
      let gain = impurity(view.total, 0);
      for (let at = 0; at < children.length; at += channels) {
        const rows = children[at + channels - 1];
        if (rows > 0) gain -= (rows / data.numRows) * impurity(children, at);
      }
      return gain;
    },
  };
}

if (!ignore) {
  const sets = readReference("id3/root_measures.json").sets as { [file: string]: RootMeasures };
  for (const [file, reference] of Object.entries(sets)) {
    const names = Object.keys(reference.attributes);

    Deno.test(`entropy, gain, split information and gain ratio at the root of ${file}`, () => {
      const data = dataOf(file, names);
      assertEquals(data.numRows, reference.rows);
      assertEquals(data.features.map(({ name }) => name), names);
      const root = rootOf(data);
      const impurity = (of: typeof giniCriterion) => of(root.numClasses).impurity(root.total, 0);
      assertAlmostEquals(impurity(entropyCriterion), reference.entropy_bits, 1e-12);
      assertAlmostEquals(impurity(giniCriterion), reference.gini, 1e-12);
      names.forEach((name, feature) => {
        const expected = reference.attributes[name];
        const column = data.features[feature];
        assert(column.kind === "categorical");
        assertEquals(column.categories.length, expected.levels, name);
        assertAlmostEquals(root.giniGain(feature), expected.gini_gain_multiway, 1e-12, name);
        const found = root.find(feature);
        if (expected.levels === 1) {
          assertEquals([found, expected.information_gain], [undefined, 0]);
          return;
        }
        assert(found !== undefined && found.score !== undefined, name);
        assertAlmostEquals(found.gain, expected.information_gain, 1e-12, name);
        assertAlmostEquals(found.score, expected.gain_ratio, 1e-12, name);
        const information = found.gain / found.score;
        if (found.gain > 0) {
          assertAlmostEquals(information / expected.split_information, 1, 1e-9, name);
        }
      });
    });

    Deno.test(`trainId3() splits ${file} first by the largest gain`, async () => {
      const model = await trainId3(dataOf(file, names), { maxDepth: 1 });
      const { feature, gain, cover } = model.ensemble.trees;
      const gains = names.map((name) => reference.attributes[name].information_gain);
      const best = Math.max(...gains);
      assertEquals(feature[0], gains.indexOf(best));
      assertAlmostEquals(gain[0] / cover[0], best, 1e-12);
    });
  }
}
