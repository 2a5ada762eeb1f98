/**
 * Makes a model's file fit a size by giving up exactness: leaves are rounded to few levels, then
 * subtrees that tell least are pruned, and trees of one leaf go into the base score. What a
 * raw score can change by at most is proved (cut_bound.ts); what it does change by is measured on rows.
 * Of linear leaves some become constants, or all do, whichever changes the rows' scores less.
 *
 * @module
 */
import { checkArgument, checkModel, checkOptions } from "../../door.ts";
import { ModelError } from "../../errors.ts";
import { firstRounds } from "../../model/edit.ts";
import type { PredictInput } from "../../model/encode.ts";
import { createModel, Model } from "../../model/model.ts";
import type { ModelInfo } from "../../model/types.ts";
import { decodeModel, encodeModel } from "../binary.ts";
import { contentsOf, renewSelfTest, type SelfTestRows, selfTestRows } from "../self_test.ts";
import { fit, fitLinear, sizeOf } from "./fit.ts";
import { namedRanges, rangesOf } from "./ranges.ts";
import { measure, report, type Shrunk } from "./report.ts";
import type { Attempt } from "./types.ts";

/** A self-test is kept where it takes no more of the file. */
const TEST_SHARE = 0.05;

/**
 * Makes a model whose file has at most `maxBytes`. A model that fits already is returned as it is.
 * Otherwise parts that scoring does not need are removed first (see `omitted` of
 * {@linkcode Shrunk}), with the rounds after the best one, which have no weight. If that is not
 * enough, leaves are rounded to few levels and the subtrees with the least effect are pruned, so that
 * scores change: `bound` says by how much at most.
 *
 * If trees were absorbed into the base score, the model has a single round, since its trees no longer
 * are those of single rounds. A calibration is kept, and so are figures of the training in `info`,
 * although they belong to the scores before.
 *
 * @param options `maxBytes`: largest size of the file. `rows`: rows to measure the change on, by
 * default those of the self-test. Models with linear leaves need one or the other.
 * @throws {ModelError} `E_MODEL_LIMIT` with the smallest possible size in `details.bytes` if that is
 * larger than `maxBytes`; `E_MODEL_SCHEMA` for linear leaves without rows.
 */
export function shrinkModel(
  model: Model,
  options: { readonly maxBytes: number; readonly rows?: PredictInput },
): Shrunk {
  checkModel("shrinkModel", model);
  checkOptions<typeof options>("shrinkModel", options, { maxBytes: "number", rows: "any" });
  const { maxBytes, rows } = options;
  checkArgument("shrinkModel", "maxBytes", maxBytes, "number");
  const full = encodeModel(model).byteLength;
  if (full <= maxBytes) return report(model, exactly(model, full), rows);
  for (const ids of [["TEST", "STAT"], ["TEST"], []]) {
    const kept = [...model.attachments].filter(([id]) => ids.includes(id));
    const less = fileOf(new Model({ ...contentsOf(model), attachments: new Map(kept) }));
    if (less.bytes <= maxBytes) return report(model, less, rows);
  }
  const lean = counted(model);
  const test = selfTestRows(model);
  const ranges = model.ensemble.linear && rangesOf(model, rows);
  const shrink = (room: number): Attempt => {
    if (model.info.kept !== undefined) {
      const fewer = exactly(lean, sizeOf(lean));
      if (fewer.bytes <= room) return fewer;
    }
    if (ranges === undefined) return fit(lean, room);
    return fitLinear(lean, room, ranges, (smaller) => measure(model, smaller, rows)?.mean ?? NaN);
  };
  const [best, keepsTest] = withRoom(shrink, maxBytes, test ? roomOf(lean, test) : 0);
  const attachments = new Map(
    test && keepsTest ? [["TEST", renewSelfTest(best.smaller, test)]] : [],
  );
  const file = fileOf(new Model({ ...contentsOf(best.smaller), attachments }));
  const shrunk = report(model, { ...best, ...file, cut: best.cut, bound: best.bound }, rows);
  return ranges ? { ...shrunk, within: namedRanges(model, ranges) } : shrunk;
}

/** Bytes that a self-test takes of a file. */
function roomOf(lean: Model, test: SelfTestRows): number {
  const attachments = new Map([["TEST", renewSelfTest(lean, test)]]);
  return sizeOf(new Model({ ...contentsOf(lean), attachments })) - sizeOf(lean);
}

/** Shrinks beside a self-test where that is a small part of the file, or else without it. */
function withRoom(
  shrink: (room: number) => Attempt,
  maxBytes: number,
  testBytes: number,
): [best: Attempt, keepsTest: boolean] {
  if (testBytes > 0 && testBytes <= TEST_SHARE * maxBytes) {
    try {
      return [shrink(maxBytes - testBytes), true];
    } catch (error) {
      if (!(error instanceof ModelError && error.code === "E_MODEL_LIMIT")) throw error;
    }
  }
  return [shrink(maxBytes), false];
}

/** A model as it is. */
function exactly(model: Model, bytes: number): Attempt {
  return { smaller: model, bytes, bound: 0, spread: 0, cut: { steps: 0 } };
}

/** A model as a file without covers and gains has it. */
function fileOf(model: Model): Attempt {
  const bytes = encodeModel(model, { explain: false });
  return exactly(decodeModel(bytes), bytes.byteLength);
}

/**
 * A model without attachments, of the rounds that count, where it keeps those after its best one, which
 * weigh nothing.
 */
function counted(model: Model): Model {
  const { kept, ...info } = model.info as ModelInfo & { readonly kept?: { rounds: number } };
  const contents = { ...contentsOf(model), attachments: new Map() };
  if (kept === undefined) return new Model(contents);
  return createModel({ ...contents, info, ensemble: firstRounds(model.ensemble, kept.rounds) });
}
