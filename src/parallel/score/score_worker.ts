/**
 * Worker that scores: the file of the model first, then rows.
 *
 * @module
 */
import type { InputReport } from "../../data/types.ts";
import { decodeModel } from "../../format/binary.ts";
import type { Model } from "../../model/model.ts";
import { failureOf } from "../failures.ts";
import { scoreNext } from "./shares.ts";
import { SCORE_WORKER, type ScoreAnswer, type ScoreJob, type Scores } from "./protocol.ts";

/** What a worker global has that we use; workers have their own `self`. */
interface WorkerScope {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(message: ScoreAnswer, transfer: Transferable[]): void;
  readonly name?: string;
}

const scope = globalThis as unknown as WorkerScope;
let model: Model | undefined;

function scoresOf(job: ScoreJob): { scores?: Scores; report?: InputReport } {
  if ("share" in job) {
    const scorer = model!.positional(model!.schemaHash);
    while (scoreNext(job.share, scorer));
    return {};
  }
  let report: InputReport | undefined;
  const options = { ...job.options, onReport: (r: InputReport) => report = r };
  const result = model![job.score](job.table, options);
  const scores = Array.isArray(result) || ArrayBuffer.isView(result) ? result : result.data;
  return { scores: scores as Scores, ...(report && { report }) };
}

function answer(job: ScoreJob): ScoreAnswer {
  const { id } = job;
  const wasTable = "table" in job;
  try {
    return { id, wasTable, ...scoresOf(job) };
  } catch (error) {
    return { id, wasTable, failure: failureOf(error) };
  }
}

// The module may be loaded outside a worker, where it must do nothing.
if (scope.name === SCORE_WORKER) {
  scope.onmessage = ({ data }) => {
    if (data instanceof Uint8Array) {
      model = decodeModel(data, { checksum: false });
      return;
    }
    const result = answer(data as ScoreJob);
    const { scores } = result;
    scope.postMessage(result, ArrayBuffer.isView(scores) ? [scores.buffer as ArrayBuffer] : []);
  };
}
