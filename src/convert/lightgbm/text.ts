/**
 * LightGBM's text model: `key=value` lines, a header, blocks `Tree=i`, then importances, parameters
 * and `pandas_categorical`. This reads it into records; `lightgbm.ts` gives them meaning.
 *
 * Format read from lightgbm-org/LightGBM, `src/boosting/gbdt_model_text.cpp` and `src/io/tree.cpp`.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { checkLimit, type FullLimits } from "../limits.ts";

/** One `Tree=` block; inner nodes and leaves are numbered apart. */
export interface LightgbmTree {
  readonly numLeaves: number;
  readonly feature: readonly number[];
  readonly threshold: readonly number[];
  readonly decision: readonly number[];
  /** Inner node, or `~leaf`. */
  readonly left: readonly number[];
  readonly right: readonly number[];
  readonly gain: readonly number[];
  readonly leafValue: readonly number[];
  readonly leafCount: readonly number[];
  readonly innerCount: readonly number[];
  readonly categoryBounds: readonly number[];
  readonly categoryWords: readonly number[];
  readonly linear?: {
    readonly constant: readonly number[];
    readonly count: readonly number[];
    readonly feature: readonly number[];
    readonly coefficient: readonly number[];
  };
}

/** A whole text model. */
export interface LightgbmSource {
  readonly version: string;
  readonly numClasses: number;
  readonly treesPerIteration: number;
  readonly maxFeature: number;
  readonly objective: string;
  readonly averageOutput: boolean;
  readonly featureNames: readonly string[];
  readonly featureInfos: readonly string[];
  readonly trees: readonly LightgbmTree[];
  /** `[name: value]` lines. */
  readonly parameters: ReadonlyMap<string, string>;
  /** Levels of each pandas category column in order, or null. */
  readonly pandasCategorical: readonly (readonly unknown[])[] | null;
  /** Whether some level is written as a number with a point or an exponent. */
  readonly pandasDecimals?: boolean;
}

/** A line with its number, for messages. */
interface Lines {
  readonly text: string;
  at: number;
  line: number;
}

function syntax(line: number, found: string): ConversionError {
  return new ConversionError(
    "E_CONVERT_SYNTAX",
    `Cannot read a LightGBM model at line ${line}: ${found}`,
    { details: { line } },
  );
}

/** The next line without its end, or undefined at the end of the text. */
function nextLine(lines: Lines): string | undefined {
  if (lines.at >= lines.text.length) return undefined;
  const end = lines.text.indexOf("\n", lines.at);
  const stop = end < 0 ? lines.text.length : end;
  const line = lines.text.slice(lines.at, stop);
  lines.at = stop + 1;
  lines.line++;
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

/** Reads a text model. */
export function readLightgbmText(text: string, limits: FullLimits): LightgbmSource {
  const lines: Lines = { text, at: 0, line: 0 };
  const header = new Map<string, string>();
  const trees: LightgbmTree[] = [];
  let line = nextLine(lines);
  if (line?.trim() !== "tree") {
    throw syntax(1, `expected "tree", found "${(line ?? "").slice(0, 40)}"`);
  }
  for (line = nextLine(lines); line !== undefined && !isSection(line); line = nextLine(lines)) {
    put(header, line);
  }
  while (line !== undefined && line.startsWith("Tree=")) {
    const first = lines.line;
    const block = new Map<string, string>();
    for (line = nextLine(lines); line !== undefined && !isSection(line); line = nextLine(lines)) {
      put(block, line);
    }
    checkLimit("the number of trees", trees.length + 1, limits.maxTrees);
    trees.push(readTree(block, first, limits));
  }
  if (line === undefined) throw syntax(lines.line, `the file ends before "end of trees"`);
  const announced =
    (header.get("tree_sizes") ?? "").split(" ").filter((size) => size !== "").length;
  if (header.has("tree_sizes") && announced !== trees.length) {
    throw syntax(lines.line, `${announced} trees are announced, ${trees.length} were found`);
  }
  const parameters = new Map<string, string>();
  let pandasCategorical: LightgbmSource["pandasCategorical"] = null;
  let pandasDecimals = false;
  for (; line !== undefined; line = nextLine(lines)) {
    const parameter = /^\[([^:\]]+): ?(.*)\]$/.exec(line);
    if (parameter !== null) parameters.set(parameter[1], parameter[2]);
    else if (line.startsWith("pandas_categorical:")) {
      pandasCategorical = readPandas(line.slice("pandas_categorical:".length), lines.line);
      pandasDecimals = /[[,] *-?\d+(\.\d|e)/.test(line);
    }
  }
  const integer = (key: string, fallback?: number): number => {
    const value = header.get(key);
    if (value === undefined && fallback !== undefined) return fallback;
    if (value !== undefined && /^-?\d+$/.test(value.trim())) return Number(value);
    throw syntax(
      1,
      `the header's "${key}" is ${
        value === undefined ? "absent" : `"${value}"`
      }, expected an integer`,
    );
  };
  const words = (key: string): readonly string[] => {
    const value = header.get(key) ?? "";
    return value === "" ? [] : value.split(" ");
  };
  return {
    version: header.get("version") ?? "unknown",
    numClasses: integer("num_class"),
    treesPerIteration: integer("num_tree_per_iteration", integer("num_class")),
    maxFeature: integer("max_feature_idx"),
    objective: header.get("objective") ?? "",
    averageOutput: header.has("average_output"),
    featureNames: words("feature_names"),
    featureInfos: words("feature_infos"),
    trees,
    parameters,
    pandasCategorical,
    pandasDecimals,
  };
}

// Files of version 2 go straight from the trees to the importances.
const isSection = (line: string): boolean =>
  line.startsWith("Tree=") || line === "end of trees" || line === "feature importances:";

function put(map: Map<string, string>, line: string): void {
  const at = line.indexOf("=");
  if (at > 0) map.set(line.slice(0, at), line.slice(at + 1));
  else if (line !== "") map.set(line, "");
}

function readPandas(json: string, line: number): readonly (readonly unknown[])[] | null {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw syntax(
      line,
      `pandas_categorical is not JSON (${cause instanceof Error ? cause.message : ""})`,
    );
  }
  if (value === null) return null;
  if (Array.isArray(value) && value.every((item) => Array.isArray(item))) return value;
  throw syntax(line, "pandas_categorical must be a list of lists");
}

function readTree(
  block: ReadonlyMap<string, string>,
  line: number,
  limits: FullLimits,
): LightgbmTree {
  const numbers = (key: string, length?: number): number[] => {
    const text = (block.get(key) ?? "").trim();
    const list = text === "" ? [] : text.split(/ +/).map((token) => {
      const value = parseNumber(token);
      if (value === undefined) {
        throw syntax(line, `"${key}" of the tree that begins here holds "${token.slice(0, 40)}"`);
      }
      return value;
    });
    if (length !== undefined && list.length !== length) {
      throw syntax(
        line,
        `"${key}" of the tree that begins here has ${list.length} numbers, expected ${length}`,
      );
    }
    return list;
  };
  const numLeaves = numbers("num_leaves", 1)[0];
  checkLimit("the number of leaves of a tree", numLeaves, limits.maxNodes);
  if (numLeaves < 1) throw syntax(line, "a tree has no leaves");
  const numSplits = numLeaves - 1;
  const numCategorical = numbers("num_cat")[0] ?? 0;
  const stats = (key: string, length: number): number[] => {
    const list = numbers(key);
    return list.length === length ? list : [];
  };
  const isLinear = (block.get("is_linear") ?? "0").trim() === "1";
  return {
    numLeaves,
    feature: numbers("split_feature", numSplits),
    threshold: numbers("threshold", numSplits),
    decision: numbers("decision_type", numSplits),
    left: numbers("left_child", numSplits),
    right: numbers("right_child", numSplits),
    gain: stats("split_gain", numSplits),
    leafValue: numbers("leaf_value", numLeaves),
    leafCount: stats("leaf_count", numLeaves),
    innerCount: stats("internal_count", numSplits),
    categoryBounds: numCategorical > 0 ? numbers("cat_boundaries", numCategorical + 1) : [],
    categoryWords: numCategorical > 0 ? numbers("cat_threshold") : [],
    ...(isLinear
      ? {
        linear: {
          constant: numbers("leaf_const", numLeaves),
          count: numbers("num_features", numLeaves),
          feature: numbers("leaf_features"),
          coefficient: numbers("leaf_coeff"),
        },
      }
      : {}),
  };
}

function parseNumber(token: string): number | undefined {
  const value = Number(token);
  if (!Number.isNaN(value)) return value;
  const match = /^([+-]?)(?:(inf(?:inity)?)|nan(?:\(.*\))?)$/i.exec(token);
  if (match === null) return undefined;
  if (match[2] === undefined) return NaN;
  return match[1] === "-" ? -Infinity : Infinity;
}
