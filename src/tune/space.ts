/**
 * What `tune` draws from: the ranges that the parameter table declares, narrowed by the user.
 *
 * @module
 */
import { checkArgument, checkParts } from "../door.ts";
import { ALPHA } from "../algorithms/boost/idle_params.ts";
import type { Dataset } from "../data/types.ts";
import { ParameterError } from "../errors.ts";
import { canonicalLoss } from "../loss/losses.ts";
import { canonicalParam, canonicalParams, unknownParam } from "../params/resolve.ts";
import { ALGORITHM_NAMES, paramsOf } from "../params/table.ts";
import type { ParamsFor } from "../params/typed.ts";
import type { AlgorithmName, ParamInput, ParamSpec, SearchRange } from "../params/types.ts";
import { exp, log } from "../util/math.ts";
import type { Rng } from "../util/rng.ts";

/** The parameters that {@linkcode tune} draws, and those that are fixed. */
export interface SearchSpace {
  /** Canonical name of the algorithm. */
  readonly algorithm: AlgorithmName;
  /** Ranges of the parameters that are drawn, by canonical name. */
  readonly ranges: ReadonlyMap<string, SearchRange>;
  /** Values of the parameters that are fixed, by canonical name. */
  readonly fixed: ParamInput;
}

/** Values or ranges of parameters, by any of their names. */
export type SpaceInput<A extends AlgorithmName> = {
  readonly [name in keyof ParamsFor[A]]: ParamsFor[A][name] | SearchRange;
};

/** Whether a value is a range rather than a setting. */
function isRange(value: unknown): value is SearchRange {
  return typeof value === "object" && value !== null &&
    ("choices" in value || ("from" in value && "to" in value));
}

/**
 * Makes the search space of an algorithm.
 *
 * @param given A value fixes a parameter; `{ from, to, scale }` or `{ choices }` is its range.
 * @param only Parameters to draw from the ranges of docs/parameters.md, besides those that `given`
 * has a range for. @default all that have one there
 * @throws {ParameterError} `E_PARAM_UNKNOWN` for unknown names, `E_PARAM_RANGE` for wrong values, for
 * ranges beyond what a parameter allows, and for `only` if a parameter has no range.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * const space = searchSpace("boost", { rounds: 50, eta: { from: 0.1, to: 0.3, scale: "log" } });
 * assertEquals([space.fixed.rounds, space.ranges.has("rounds")], [50, false]);
 * ```
 */
export function searchSpace<A extends AlgorithmName>(
  algorithm: A,
  given?: SpaceInput<A>,
  only?: readonly string[],
): SearchSpace {
  checkArgument("searchSpace", "algorithm", algorithm, ALGORITHM_NAMES);
  if (given !== undefined) checkArgument("searchSpace", "given", given, "object");
  if (only !== undefined) checkArgument("searchSpace", "only", only, "texts");
  const specs = paramsOf(algorithm);
  const settings = Object.entries(given ?? {});
  const fixed = Object.fromEntries(
    canonicalParams(
      algorithm,
      Object.fromEntries(settings.filter(([, value]) => !isRange(value))),
    ),
  );
  const canonical = (word: string): string => {
    const name = canonicalParam(algorithm, word);
    if (name === undefined) throw unknownParam(algorithm, word);
    return name;
  };
  const wanted = only?.map(canonical);
  const ranges = new Map<string, SearchRange>();
  for (const [name, spec] of specs) {
    const asked = wanted === undefined || wanted.includes(name);
    if (spec.search !== undefined && asked && !Object.hasOwn(fixed, name)) {
      ranges.set(name, spec.search);
    }
  }
  for (const [word, value] of settings) {
    if (!isRange(value)) continue;
    const name = canonical(word);
    checkRange(algorithm, name, specs.get(name)!, value);
    ranges.set(name, value);
  }
  const noRange = wanted?.find((name) => !ranges.has(name) && !Object.hasOwn(fixed, name));
  if (noRange !== undefined) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot tune ${noRange}: it has no declared range; give one, { "from": …, "to": … }`,
      { details: { param: noRange } },
    );
  }
  return { algorithm, ranges, fixed };
}

/** Both ends of a range must be values that the parameter accepts. */
function checkRange(
  algorithm: AlgorithmName,
  name: string,
  spec: ParamSpec,
  range: SearchRange,
): void {
  if ("choices" in range) {
    checkParts<{ choices: unknown }>("searchSpace", name, range, { choices: "list" });
    for (const value of range.choices) canonicalParams(algorithm, { [name]: value });
    return;
  }
  checkParts<typeof range>("searchSpace", name, range, {
    from: "number",
    to: "number",
    scale: ["linear", "log"],
  });
  canonicalParams(algorithm, { [name]: range.from });
  canonicalParams(algorithm, { [name]: range.to });
  const numeric = spec.kind === "number" || spec.kind === "integer";
  if (!numeric || range.from > range.to || (range.scale === "log" && range.from <= 0)) {
    throw new ParameterError(
      "E_PARAM_RANGE",
      `Cannot tune ${name} over ${JSON.stringify(range)}: expected from ≤ to${
        range.scale === "log" ? ", both above 0" : ""
      } of a number`,
      { details: { param: name, value: range } },
    );
  }
}

/**
 * Checks the form of a space that is handed on.
 *
 * @throws {ParameterError} `E_PARAM_RANGE` or `E_PARAM_UNKNOWN`
 */
export function checkSpace(call: string, space: SearchSpace): void {
  checkArgument(call, "space", space, "object", "a SearchSpace, as searchSpace() gives it");
  checkParts<SearchSpace>(call, "space", space, {
    algorithm: "text",
    ranges: "map",
    fixed: "object",
  });
  const { algorithm, ranges, fixed } = space;
  checkArgument(call, "space.algorithm", algorithm, ALGORITHM_NAMES);
  checkArgument(call, "space.ranges", ranges, "map");
  checkArgument(call, "space.fixed", fixed, "object");
  const specs = paramsOf(algorithm);
  for (const [name, range] of ranges) {
    const spec = specs.get(name);
    if (spec === undefined) throw unknownParam(algorithm, name);
    checkArgument(call, `space.ranges ${name}`, range, "object");
    if (range !== spec.search) checkRange(algorithm, name, spec, range);
  }
}

/**
 * The space without declared ranges that are for another kind of target than the data have, or that
 * training refuses beside the rest of the space.
 */
export function spaceFor(space: SearchSpace, data: Dataset): SearchSpace {
  const specs = paramsOf(space.algorithm);
  const refused = refusedBeside(space);
  const kept = [...space.ranges].filter(([name, range]) => {
    const { search, searchFor } = specs.get(name)!;
    const fits = searchFor === undefined || searchFor === data.target?.kind;
    return range !== search || (fits && !refused.includes(name));
  });
  return { ...space, ranges: new Map(kept) };
}

/** What other methods than `hist` do not draw, and the limits that exact splits do not know. */
const OF_HIST = ["subsample", "featuresPerTree", "featuresPerLevel", "featuresPerNode"];
const NOT_OF_EXACT = ["maxLeaves", "maxBins"];

function refusedBeside({ algorithm, ranges, fixed }: SearchSpace): string[] {
  if (algorithm !== "boost") return [];
  const possible = (name: string): readonly unknown[] => {
    const range = ranges.get(name);
    return range === undefined ? [fixed[name]] : "choices" in range ? range.choices : [];
  };
  const losses = possible("loss").map((loss) => canonicalLoss(String(loss)) ?? "");
  const levels = losses.flatMap((loss) => ALPHA[loss] ?? []);
  const unsaid = levels.some((name) => !ranges.has(name) && !Object.hasOwn(fixed, name));
  const methods = possible("treeMethod");
  return [
    ...(unsaid ? ["alpha"] : []), // it may be meant as the level of the loss
    ...(possible("sampling").includes("goss") ? ["subsample"] : []),
    ...(methods.includes("exact") || methods.includes("lightgbm") ? OF_HIST : []),
    ...(methods.includes("exact") ? NOT_OF_EXACT : []),
  ];
}

/** Parameters that are part of metrics, and of which. */
const OF_METRIC: { readonly [param: string]: readonly string[] } = {
  huberDelta: ["huber", "pseudoHuber"],
  huberAlpha: ["huber", "quantile"],
  quantiles: ["quantile"],
  expectiles: ["expectile"],
  fairC: ["fair"],
  tweediePower: ["tweedieNll", "tweedieDeviance"],
  rankGain: ["ndcg"],
};

/**
 * Refuses a search whose trials are not judged alike: by the metric of each loss, or by one that
 * changes with a parameter that is drawn.
 *
 * @param metric The metric that decides, if it is named.
 * @throws {ParameterError} `E_PARAM_CONFLICT`
 */
export function checkJudge({ algorithm, ranges }: SearchSpace, metric: string | undefined): void {
  if (algorithm !== "boost" && algorithm !== "gbdt") return;
  const isDrawn = ([, range]: [string, SearchRange]) =>
    "choices" in range ? range.choices.length > 1 : range.from < range.to;
  const unlike = (param: string) =>
    metric === undefined
      ? param === "loss" || Object.hasOwn(OF_METRIC, param)
      : OF_METRIC[param]?.includes(metric) === true;
  const param = [...ranges].filter(isDrawn).map(([name]) => name).find(unlike);
  if (param === undefined) return;
  throw new ParameterError(
    "E_PARAM_CONFLICT",
    `Cannot compare trials that differ in ${param} by ${metric ?? "the metric of their loss"}: ` +
      `expected a metric that ${param} does not change (metric, --metric)`,
    { details: { param: "metric" } },
  );
}

/** Draws one setting of every range, in order of declaration. */
export function drawParams(space: SearchSpace, rng: Rng): { readonly [name: string]: unknown } {
  const specs = paramsOf(space.algorithm);
  const drawn: { [name: string]: unknown } = { ...space.fixed };
  for (const [name, range] of space.ranges) {
    if ("choices" in range) {
      drawn[name] = range.choices[rng.nextInt(range.choices.length)];
      continue;
    }
    const { from, to, scale } = range;
    const share = rng.nextFloat();
    const value = scale === "log"
      ? exp(log(from) + share * (log(to) - log(from)))
      : from + share * (to - from);
    // Four digits say all that a draw can mean, and read well in a table; the ends may have more.
    const short = Math.min(to, Math.max(from, Number(value.toPrecision(4))));
    drawn[name] = specs.get(name)!.kind === "integer" ? Math.round(short) : short;
  }
  return drawn;
}
