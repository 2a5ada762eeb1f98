/**
 * Checkpoints: of boosting on histograms the trees so far as a `.tlm` file whose story says which
 * run they belong to, of other ensembles the state of the run (`state_file.ts`). A run goes on only
 * with the data, parameters and seed that it began with, so that its model is that of an
 * uninterrupted run, byte for byte.
 *
 * @module
 */
import { checkParts } from "../../door.ts";
import { schemaFromDataset } from "../../data/dataset/schema.ts";
import type { Dataset } from "../../data/types.ts";
import type { BoostPlan, CheckpointState } from "../../ensemble/plan.ts";
import type { RunState, StatePlan } from "../../ensemble/run_state.ts";
import type { CheckpointOptions, RoundReport, TrainOptions } from "../../ensemble/types.ts";
import { ParameterError } from "../../errors.ts";
import { decodeModel, encodeModel } from "../../format/binary.ts";
import { createModel, type Model } from "../../model/model.ts";
import type { Json } from "../../model/types.ts";
import { hexOf } from "../../util/hex.ts";
import { VERSION } from "../../util/version.ts";
import { readState, writeState } from "./state_file.ts";

/** What a run is recognised by. */
export interface RunStory {
  readonly train: Dataset;
  readonly valid: { readonly [name: string]: Dataset };
  /** Preset and given parameters as plain JSON. */
  readonly params: { readonly [name: string]: Json };
  readonly seed: number;
}

/** What a checkpoint says of its run; each part has a name for the error that tells what differs. */
interface Marks {
  readonly version: string;
  readonly params: string;
  readonly seed: number;
  readonly data: string;
  readonly validation: string;
}

/** Part of a plan. */
export type CheckpointPlan = Pick<BoostPlan, "checkpoint" | "resume">;

/**
 * Makes what `options` ask for.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` for `checkpoint.every`; `E_PARAM_CONFLICT` for a file to
 * resume that is no checkpoint or belongs to another run.
 * @throws {ModelError} for a file to resume that is no model file.
 */
export async function planCheckpoints(
  story: RunStory,
  options: Pick<TrainOptions, "checkpoint" | "resume">,
): Promise<CheckpointPlan> {
  return await plan(story, options, {
    encode: (state: CheckpointState, marks) => encodeCheckpoint(state, marks, story),
    decode: decodeCheckpoint,
  });
}

/**
 * {@linkcode planCheckpoints} for runs whose state is more than their trees.
 *
 * @throws As {@linkcode planCheckpoints}.
 */
export async function planStates(
  story: RunStory,
  options: Pick<TrainOptions, "checkpoint" | "resume">,
): Promise<StatePlan> {
  return await plan(story, options, { encode: encodeState, decode: decodeState });
}

/** How a state becomes a file, and a file a state. */
interface Codec<State> {
  encode(state: State, marks: Marks): Uint8Array<ArrayBuffer>;
  decode(bytes: Uint8Array, marks: Marks): State;
}

async function plan<State>(
  story: RunStory,
  { checkpoint, resume }: Pick<TrainOptions, "checkpoint" | "resume">,
  { encode, decode }: Codec<State>,
) {
  if (checkpoint === undefined && resume === undefined) return {};
  checkEvery(checkpoint);
  const marks = await marksOf(story);
  return {
    ...(checkpoint === undefined ? {} : {
      checkpoint: {
        every: checkpoint.every,
        save: (state: State) => checkpoint.save(encode(state, marks)),
      },
    }),
    ...(resume === undefined ? {} : { resume: decode(resume, marks) }),
  };
}

function encodeState({ round, history, arrays }: RunState, marks: Marks): Uint8Array<ArrayBuffer> {
  const told = { round, run: { ...marks }, history: history.map(({ metrics }) => plain(metrics)) };
  return writeState(told, arrays);
}

function decodeState(bytes: Uint8Array, marks: Marks): RunState {
  const { story, arrays } = readState(bytes) ?? {};
  if (arrays === undefined || !isToldStory(story)) {
    throw conflict("the file is not a checkpoint of this algorithm", "checkpoint");
  }
  checkMarks(story.run, marks);
  return { round: story.round, history: historyOf(story), arrays };
}

function isToldStory(value: unknown): value is Stored {
  if (!isObject(value) || !isObject(value.run)) return false;
  const { round, history } = value;
  return Number.isInteger(round) && Array.isArray(history) && history.every(areMetrics);
}

/** @throws {ParameterError} `E_PARAM_UNKNOWN` or `E_PARAM_RANGE` */
function checkEvery(checkpoint: TrainOptions["checkpoint"]): void {
  if (checkpoint === undefined) return;
  const kinds = { every: "any", save: "function" } as const;
  checkParts<CheckpointOptions>("train", "checkpoint", checkpoint, kinds);
  if (Number.isInteger(checkpoint.every) && checkpoint.every > 0) return;
  throw new ParameterError(
    "E_PARAM_RANGE",
    `Cannot write a checkpoint every ${checkpoint.every} rounds: expected a whole number from 1`,
    { details: { param: "checkpoint.every", value: checkpoint.every } },
  );
}

/**
 * Refuses checkpoints where nothing would write or read them.
 *
 * @param what Algorithm or work, for the message.
 * @throws {ParameterError} `E_PARAM_CONFLICT`
 */
export function refuseCheckpoints({ checkpoint, resume }: TrainOptions, what: string): void {
  if (checkpoint === undefined && resume === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot use checkpoints with ${what}: expected the training of an ensemble`,
    { details: { param: checkpoint === undefined ? "resume" : "checkpoint" } },
  );
}

function encodeCheckpoint(
  { round, ensemble, history, weightHistory }: CheckpointState,
  marks: Marks,
  { train, seed }: RunStory,
): Uint8Array<ArrayBuffer> {
  const checkpoint: Json = {
    round,
    run: { ...marks },
    history: history.map(({ metrics }) => plain(metrics)),
    ...(weightHistory === undefined
      ? {}
      : { weightHistory: weightHistory.map((weights) => [...weights]) }),
  };
  return encodeModel(createModel({
    schema: schemaFromDataset(train),
    ensemble,
    info: { version: VERSION, algorithm: "boost", seed, checkpoint },
  }));
}

function decodeCheckpoint(bytes: Uint8Array, marks: Marks): CheckpointState {
  const model = decodeModel(bytes);
  const { checkpoint } = model.info;
  if (!isStored(checkpoint, model)) {
    throw conflict("the file is not a checkpoint, expected one that training wrote", "checkpoint");
  }
  checkMarks(checkpoint.run, marks);
  const { round, weightHistory } = checkpoint;
  return {
    round,
    ensemble: model.ensemble,
    history: historyOf(checkpoint),
    ...(weightHistory === undefined
      ? {}
      : { weightHistory: weightHistory.map((weights) => Float64Array.from(weights)) }),
  };
}

/** @throws {ParameterError} `E_PARAM_CONFLICT` where the checkpoint is another run's. */
function checkMarks(run: Stored["run"], marks: Marks): void {
  for (const name of Object.keys(marks) as (keyof Marks)[]) {
    if (run[name] === marks[name]) continue;
    throw conflict(
      name === "version" || name === "seed"
        ? `the checkpoint was made with ${name} ${run[name]}, this is ${marks[name]}`
        : `the checkpoint belongs to a run with other ${name}; expected the same ${name}`,
      name,
    );
  }
}

/** Reports of the rounds done; times are those of a run that begins now. */
function historyOf({ round, history }: Stored): RoundReport[] {
  return history.map((metrics, i) => ({
    round: i + 1,
    rounds: round,
    metrics: numbers(metrics),
    seconds: 0,
    roundsPerSecond: 0,
    secondsLeft: 0,
  }));
}

function conflict(problem: string, differs: string): ParameterError {
  return new ParameterError("E_PARAM_CONFLICT", `Cannot resume: ${problem}`, {
    details: { param: "resume", differs },
  });
}

type Metrics<T> = { readonly [set: string]: { readonly [metric: string]: T } };

/** What {@linkcode encodeCheckpoint} stores. */
interface Stored {
  readonly round: number;
  readonly run: { readonly [name: string]: Json };
  readonly history: readonly Metrics<number | string>[];
  readonly weightHistory?: readonly (readonly number[])[];
}

function isStored(value: unknown, { ensemble, numTrees }: Model): value is Stored {
  if (!isObject(value) || !isObject(value.run)) return false;
  const { round, history, weightHistory } = value;
  return Number.isInteger(round) && numTrees === Number(round) * ensemble.treesPerRound &&
    Array.isArray(history) && history.length === round &&
    history.every(areMetrics) &&
    (weightHistory === undefined ||
      Array.isArray(weightHistory) && weightHistory.length === round &&
        weightHistory.every((weights, i) =>
          Array.isArray(weights) && weights.length === i + 1 && weights.every(Number.isFinite)
        ));
}

function areMetrics(sets: unknown): boolean {
  return isObject(sets) &&
    Object.values(sets).every((metrics) =>
      isObject(metrics) && Object.values(metrics).every((one) => !Number.isNaN(numberOf(one)))
    );
}

function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Metrics as JSON, which has no infinities. */
function plain(metrics: Metrics<number>): Metrics<number | string> {
  return mapMetrics(metrics, (value) => Number.isFinite(value) ? value : String(value));
}

function numbers(metrics: Metrics<number | string>): Metrics<number> {
  return mapMetrics(metrics, (value) => value === "NaN" ? NaN : Number(value));
}

/** A stored metric, with 0 for "NaN", which is one too. */
function numberOf(value: unknown): number {
  if (typeof value === "number") return value;
  return value === "NaN" ? 0 : value === "Infinity" || value === "-Infinity" ? Number(value) : NaN;
}

function mapMetrics<A, B>(metrics: Metrics<A>, map: (value: A) => B): Metrics<B> {
  return Object.fromEntries(
    Object.entries(metrics).map(([set, values]) => [
      set,
      Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)])),
    ]),
  );
}

async function marksOf({ train, valid, params, seed }: RunStory): Promise<Marks> {
  return {
    version: VERSION,
    params: await fingerprint([], params),
    seed,
    data: await fingerprint([train], null),
    validation: await fingerprint(Object.values(valid), Object.keys(valid)),
  };
}

/** SHA-256 over names, categories and values of datasets, hexadecimal. */
export async function fingerprint(sets: readonly Dataset[], story: Json): Promise<string> {
  let sum = new Uint8Array(32);
  const add = async (bytes: Uint8Array) => {
    const joined = new Uint8Array(sum.length + bytes.length);
    joined.set(sum);
    joined.set(bytes, sum.length);
    sum = new Uint8Array(await crypto.subtle.digest("SHA-256", joined));
  };
  const addText = (value: unknown) => add(new TextEncoder().encode(JSON.stringify(value)));
  const addArray = async (values: ArrayBufferView | undefined) => {
    if (values === undefined) return await addText(null);
    await add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  };
  await addText(story);
  for (const { features, target, sampleWeight, group, offset } of sets) {
    for (const column of [...features, ...(target === undefined ? [] : [target])]) {
      const { kind, name } = column;
      const levels = "categories" in column
        ? column.categories
        : "classes" in column
        ? column.classes
        : [];
      await addText([kind, name, levels]);
      await addArray("codes" in column ? column.codes : column.values);
    }
    for (const values of [sampleWeight, group, offset]) await addArray(values);
  }
  return hexOf(sum);
}
