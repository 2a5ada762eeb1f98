import { assertEquals, assertThrows } from "@std/assert";
import { importModel } from "../../../../src/convert/import_model.ts";
import { ConversionError } from "../../../../src/errors.ts";

/** A model without trees; `found` is `boost_from_average`, "0" where a user set the base score. */
function emptyModel(
  version: readonly number[],
  objective: string,
  base: string,
  numClass = "0",
  found: string | null = "0",
): Uint8Array {
  return new TextEncoder().encode(JSON.stringify({
    version,
    learner: {
      learner_model_param: {
        base_score: base,
        num_class: numClass,
        num_feature: "1",
        ...(found === null ? {} : { boost_from_average: found }),
      },
      objective: { name: objective },
      feature_names: [],
      feature_types: [],
      gradient_booster: {
        name: "gbtree",
        model: { gbtree_model_param: { num_trees: "0" }, tree_info: [], trees: [] },
      },
    },
  }));
}

// Margins that XGBoost 2.1.4, 3.0.5, 3.1.3 and 3.2.0 gave for such a file, from PyPI; undefined: an
// infinite margin, or refused by the library. From 3.2 on it keeps the base score away from 0 and 1.
const LOGISTIC: readonly (readonly [string, number | undefined, number])[] = [
  ["0", undefined, -13.815509796142578],
  ["1e-45", undefined, -13.815509796142578],
  ["1E-38", -87.49822998046875, -13.815509796142578],
  ["5E-7", -14.508657455444336, -13.815509796142578],
  ["1E-6", -13.815509796142578, -13.815509796142578],
  // logf() of glibc is beside the nearest float32 here: that would be 0.2809917628765106.
  ["5.6978935E-1", 0.28099173307418823, 0.28099173307418823],
  ["2E-6", -13.122361183166504, -13.122361183166504],
  ["9.999988E-1", 13.639800071716309, 13.639800071716309],
  ["9.9999905E-1", 13.862943649291992, 13.745160102844238],
  ["1", undefined, 13.745160102844238],
];

Deno.test("importModel() takes the base score of a logistic objective as the file's version does", () => {
  for (const [base, before, since] of LOGISTIC) {
    for (const objective of ["binary:logistic", "reg:logistic"]) {
      for (const version of [[1, 7, 6], [2, 1, 4], [3, 0, 5], [3, 1, 3]]) {
        const file = emptyModel(version, objective, version[1] === 1 ? `[${base}]` : base);
        if (before === undefined) assertThrows(() => importModel(file), ConversionError, "margin");
        else assertEquals(importModel(file).predictRaw([{ f0: 1 }]).data[0], before);
      }
      for (const version of [[3, 2, 0], [3, 4, 1]]) {
        const model = importModel(emptyModel(version, objective, `[${base}]`));
        assertEquals(model.predictRaw([{ f0: 1 }]).data[0], since);
      }
    }
  }
});

Deno.test("importModel() leaves other base scores alone in every version", () => {
  for (const version of [[2, 1, 4], [3, 2, 0]]) {
    const margin = (objective: string, base: string) =>
      importModel(emptyModel(version, objective, base)).predictRaw([{ f0: 1 }]).data[0];
    assertEquals(margin("count:poisson", "5E-7"), -14.508657455444336);
    assertEquals(margin("reg:squarederror", "0"), 0);
    assertEquals(margin("reg:squarederror", "1E-45"), 2 ** -149);
  }
});

// Margins of XGBoost 2.1.4, and those of 3.1.3 and 3.2.0, for files of these versions without trees.
const UNFITTED: readonly (readonly [string, number, number])[] = [
  ["binary:logistic", -0, 0.5],
  ["count:poisson", -0.6931471824645996, 0.5],
  ["survival:aft", -0.6931471824645996, 0.5],
];

Deno.test("importModel() takes a base score that was never found for a margin, from 3.1 on", () => {
  for (const found of ["1", null]) {
    for (const [objective, before, since] of UNFITTED) {
      const old = emptyModel([2, 1, 4], objective, "5E-1", "0", found);
      assertEquals(importModel(old).predictRaw([{ f0: 1 }]).data[0], before);
      for (const version of [[3, 1, 3], [3, 2, 0]]) {
        const model = importModel(emptyModel(version, objective, "[5E-1]", "0", found));
        assertEquals(model.predictRaw([{ f0: 1 }]).data[0], since);
        // Another number was meant by somebody, on the scale of base scores.
        const meant = importModel(emptyModel(version, objective, "[2.5E-1]", "0", found));
        const given = importModel(emptyModel(version, objective, "[2.5E-1]", "0", "0"));
        assertEquals(meant.predictRaw([{ f0: 1 }]), given.predictRaw([{ f0: 1 }]));
      }
    }
  }
});

Deno.test("importModel() knows a softmax of one class", () => {
  for (const objective of ["multi:softmax", "multi:softprob"]) {
    const model = importModel(emptyModel([2, 1, 4], objective, "5E-1", "1"));
    // XGBoost 3.2: class 0, with probability 1.
    assertEquals(model.predictClass([{ f0: 1 }]), ["0"]);
    assertEquals(Array.from(model.predictProba([{ f0: 1 }]).data), [1]);
  }
});
