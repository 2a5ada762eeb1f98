/**
 * LightGBM's text model: `key=value` lines, a header, blocks `Tree=i`, then importances, parameters
 * and `pandas_categorical`. This reads it into records; `import.ts` gives them meaning.
 *
 * The library takes what it finds: a number ends silently where it is none any more (`0x10` is 0, `1e2`
 * as an integer 1), a tree at an empty line or after 22 lines. What it would read otherwise than it
 * stands there is refused.
 *
 * Format read from lightgbm-org/LightGBM, `src/boosting/gbdt_model_text.cpp`, `src/io/tree.cpp` and
 * `include/LightGBM/utils/common.h`.
 *
 * @module
 */
import { ConversionError } from "../../errors.ts";
import { checkLimit, type FullLimits } from "../common/limits.ts";

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
  /** Where the line begins, in a file whose lines end with a line feed alone. */
  begin: number;
  returns: number;
}

/** The library reads so many lines of a tree. */
const MOST_LINES = 22;

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const INTEGER = /^[+-]?\d+$/;
/** The library's types of integers: [least, most]. */
const INT8 = [-128, 127] as const;
const INT32 = [-(2 ** 31), 2 ** 31 - 1] as const;
const UINT32 = [0, 2 ** 32 - 1] as const;

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
  const raw = lines.text.slice(lines.at, stop);
  const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
  lines.begin = lines.at - lines.returns;
  lines.returns += raw.length - line.length;
  lines.at = stop + 1;
  lines.line++;
  // The library ends a line at a carriage return and a text at a zero.
  if (/[\r\0]/.test(line)) {
    throw syntax(lines.line, "a carriage return or a zero byte stands inside of the line");
  }
  return line;
}

/** Reads a text model. */
export function readLightgbmText(text: string, limits: FullLimits): LightgbmSource {
  const lines: Lines = { text, at: 0, line: 0, begin: 0, returns: 0 };
  const header = new Map<string, string>();
  const trees: LightgbmTree[] = [];
  let line = nextLine(lines);
  if (line?.trim() !== "tree") {
    throw syntax(1, `expected "tree", found "${(line ?? "").slice(0, 40)}"`);
  }
  for (line = nextLine(lines); line !== undefined && !isSection(line); line = nextLine(lines)) {
    putHeader(header, line, lines.line);
  }
  const sizes = header.has("tree_sizes") ? integersIn(header.get("tree_sizes")!) : undefined;
  if (sizes === null) throw syntax(1, `the header's "tree_sizes" are not integers`);
  let begin = lines.begin;
  while (line !== undefined && line.startsWith("Tree=")) {
    const first = lines.line;
    if (lines.begin !== begin) {
      throw syntax(
        first,
        `a tree begins at byte ${lines.begin}, by "tree_sizes" it is byte ${begin}`,
      );
    }
    checkLimit("the number of trees", trees.length + 1, limits.maxTrees);
    const block = takeBlock(lines);
    line = block.next;
    begin = sizes === undefined ? lines.begin : begin + (sizes[trees.length] ?? 0);
    trees.push(readTree(block.fields, first, limits));
  }
  if (line === undefined) throw syntax(lines.line, `the file ends before "end of trees"`);
  if (sizes !== undefined && sizes.length !== trees.length) {
    throw syntax(lines.line, `${sizes.length} trees are announced, ${trees.length} were found`);
  }
  const parameters = new Map<string, string>();
  let pandasCategorical: LightgbmSource["pandasCategorical"] = null;
  let pandasDecimals = false;
  let pandasLine = Infinity;
  let isImportance = false; // where "Tree=5" is a feature called "Tree"
  let isOpen = false; // among parameters, which end with a line of their own: else the file was cut
  for (; line !== undefined; line = nextLine(lines)) {
    isImportance ||= trees.length > 0 && /^feature[ _]importances:$/.test(line);
    if (!isImportance && line.startsWith("Tree=")) {
      throw syntax(lines.line, "a tree follows the end of the trees");
    }
    if (line === "parameters:") isOpen = true;
    else if (line === "end of parameters") isOpen = false;
    const parameter = /^\[([^:\]]+): ?(.*)\]$/.exec(line);
    if (parameter !== null) parameters.set(parameter[1], parameter[2]);
    else if (line.startsWith("pandas_categorical:")) {
      pandasCategorical = readPandas(line.slice("pandas_categorical:".length), lines.line);
      pandasDecimals = /[[,] *-?\d+(\.\d|e)/.test(line);
      pandasLine = lines.line;
    }
  }
  if (isOpen) throw syntax(lines.line, `the file ends before "end of parameters"`);
  if (pandasCategorical !== null && lines.line > pandasLine + 1) {
    throw syntax(pandasLine, "the library looks for pandas_categorical in the last two lines only");
  }
  const integer = (key: string, fallback?: number): number => {
    const value = header.get(key);
    if (value === undefined && fallback !== undefined) return fallback;
    const [integer] = integersIn(value ?? "") ?? [];
    if (value !== undefined && integer !== undefined) return integer;
    throw syntax(
      1,
      `the header's "${key}" is ${
        value === undefined ? "absent" : `"${value}"`
      }, expected an integer`,
    );
  };
  const maxFeature = integer("max_feature_idx");
  const words = (key: string): readonly string[] => {
    const list = tokens(header.get(key) ?? "");
    if (!header.has(key) || list.length === maxFeature + 1) return list;
    throw syntax(
      1,
      `the header's "${key}" has ${list.length} entries, expected ${maxFeature + 1}`,
    );
  };
  return {
    version: header.get("version") ?? "unknown",
    numClasses: integer("num_class"),
    treesPerIteration: integer("num_tree_per_iteration", integer("num_class")),
    maxFeature,
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

/** Words between blanks; tabs are part of them. */
function tokens(text: string): string[] {
  const list = text.split(" ");
  return list.includes("") ? list.filter((token) => token !== "") : list;
}

/** Integers between blanks, or null where something else is among them. */
function integersIn(text: string): number[] | null {
  const list = tokens(text);
  return list.every((token) => INTEGER.test(token)) ? list.map(Number) : null;
}

function putHeader(map: Map<string, string>, line: string, number: number): void {
  const at = line.indexOf("=");
  const [key, value] = at < 0 ? [line, ""] : [line.slice(0, at), line.slice(at + 1)];
  const isFree = key === "feature_names" || key === "monotone_constraints";
  if (at === 0 || (value.includes("=") && !isFree)) {
    throw syntax(number, `expected key=value, found "${line.slice(0, 40)}"`);
  }
  if (line !== "") map.set(key, value);
}

/** The lines of a tree up to the empty one that ends it, and the line that begins the next section. */
function takeBlock(
  lines: Lines,
): { readonly fields: ReadonlyMap<string, string>; readonly next: string | undefined } {
  const fields = new Map<string, string>();
  let count = 0;
  let next = nextLine(lines);
  for (; next !== undefined && next !== "" && !isSection(next); next = nextLine(lines)) {
    const at = next.indexOf("=");
    if (at < 1) throw syntax(lines.line, `expected key=value, found "${next.slice(0, 40)}"`);
    if (++count > MOST_LINES) throw syntax(lines.line, `a tree has more than ${MOST_LINES} lines`);
    fields.set(next.slice(0, at), next.slice(at + 1));
  }
  if (next !== undefined && next !== "") {
    throw syntax(lines.line, "expected an empty line behind the tree");
  }
  while (next === "") next = nextLine(lines);
  if (next !== undefined && !isSection(next)) {
    throw syntax(lines.line, `a tree ended before, found "${next.slice(0, 40)}"`);
  }
  return { fields, next };
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
  const list = (
    key: string,
    parse: (token: string) => number | undefined,
    length?: number,
  ): number[] => {
    const values = tokens(block.get(key) ?? "").map((token) => {
      const value = parse(token);
      if (value !== undefined) return value;
      throw syntax(line, `"${key}" of the tree that begins here holds "${token.slice(0, 40)}"`);
    });
    if (length !== undefined && values.length !== length) {
      throw syntax(
        line,
        `"${key}" of the tree that begins here has ${values.length} numbers, expected ${length}`,
      );
    }
    return values;
  };
  const numbers = (key: string, length?: number): number[] => list(key, parseNumber, length);
  const integers = (key: string, length?: number, [least, most] = INT32 as readonly number[]) =>
    list(key, (token) => {
      const value = INTEGER.test(token) ? Number(token) : NaN;
      return value >= least && value <= most ? value : undefined;
    }, length);
  const numLeaves = integers("num_leaves", 1)[0];
  checkLimit("the number of leaves of a tree", numLeaves, limits.maxNodes);
  if (numLeaves < 1) throw syntax(line, "a tree has no leaves");
  const numSplits = numLeaves - 1;
  const numCategorical = integers("num_cat")[0] ?? 0;
  const stats = (key: string, length: number): number[] => {
    const values = numbers(key);
    return values.length === length ? values : [];
  };
  const isLinear = (integers("is_linear")[0] ?? 0) !== 0;
  return {
    numLeaves,
    feature: integers("split_feature", numSplits),
    threshold: numbers("threshold", numSplits),
    decision: integers("decision_type", numSplits, INT8),
    left: integers("left_child", numSplits),
    right: integers("right_child", numSplits),
    gain: stats("split_gain", numSplits),
    leafValue: numbers("leaf_value", numLeaves),
    leafCount: stats("leaf_count", numLeaves),
    innerCount: stats("internal_count", numSplits),
    categoryBounds: numCategorical > 0 ? integers("cat_boundaries", numCategorical + 1) : [],
    categoryWords: numCategorical > 0 ? integers("cat_threshold", undefined, UINT32) : [],
    ...(isLinear
      ? {
        linear: {
          constant: numbers("leaf_const", numLeaves),
          count: integers("num_features", numLeaves),
          feature: integers("leaf_features"),
          coefficient: numbers("leaf_coeff"),
        },
      }
      : {}),
  };
}

function parseNumber(token: string): number | undefined {
  const value = Number(token);
  // Most begin like a number, have no letter in the second place as other bases do, and end in a digit.
  const first = token.charCodeAt(0);
  const last = token.charCodeAt(token.length - 1);
  const isPlain = first >= 43 && first <= 57 && last >= 48 && last <= 57;
  if (value === value && isPlain && !(token.charCodeAt(1) > 57)) return value;
  if (DECIMAL.test(token)) return value;
  const match = /^([+-]?)(?:(inf(?:inity)?)|nan(?:\(.*\))?)$/i.exec(token);
  if (match === null) return undefined;
  if (match[2] === undefined) return NaN;
  return match[1] === "-" ? -Infinity : Infinity;
}
