/**
 * The score of one row, and the contributions that made it.
 *
 * @module
 */
import { type Element, h, isolated } from "./element.ts";
import type { Contribution } from "../answer/explain.ts";
import { shownBeside, shownPercent } from "./shown.ts";
import type { Result, View } from "./view.ts";

/** Contributions that get a line of their own. */
const SHOWN = 10;

/** The first thing to look at. */
export function resultPanel({ view }: { view: View }): Element {
  const { result, served } = view;
  if (result === undefined) {
    return h(
      "section",
      { "aria-labelledby": "score" },
      h("h2", { id: "score" }, "Score"),
      h("p", { class: "problem" }, "One of the values cannot be read: see the form."),
    );
  }
  const target = served.model.schema.target?.name;
  return h(
    "section",
    { "aria-labelledby": "score" },
    h("h2", { id: "score" }, target === undefined ? "Score" : isolated(target)),
    h("p", { class: "headline" }, isolated(result.headline)),
    result.probabilities.length > 0 ? probabilities({ result }) : null,
    result.noReasons === undefined
      ? waterfall({ view, result })
      : h("p", { class: "soft small" }, result.noReasons),
  );
}

function probabilities({ result }: { result: Result }): Element {
  return h(
    "table",
    null,
    h("caption", null, "Probability of each class"),
    h(
      "tbody",
      null,
      result.probabilities.map(({ label, value }) =>
        h(
          "tr",
          { class: label === result.headline ? "current" : undefined },
          h("th", { scope: "row" }, isolated(label)),
          h("td", { class: "bar" }, bar({ from: 0, to: value, kind: "neutral" })),
          h("td", { class: "number" }, shownPercent(value)),
        )
      ),
    ),
  );
}

/** From the expected score to this row's, one feature at a time, the largest first. */
function waterfall({ view, result }: { view: View; result: Result }): Element {
  const lines = linesOf(view, result);
  const edges = lines.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  const place = (x: number) => high > low ? (x - low) / (high - low) : 0.5;
  return h(
    "table",
    null,
    h(
      "caption",
      null,
      "What moved the score: each bar begins where the one above ends. Blue raises, orange lowers the raw score.",
    ),
    h(
      "thead",
      null,
      h(
        "tr",
        null,
        h("th", { scope: "col" }, "Column"),
        h("th", { scope: "col" }, "Score"),
        h("th", { scope: "col", class: "number" }, "Change"),
      ),
    ),
    h(
      "tbody",
      null,
      lines.map((line) =>
        h(
          "tr",
          { class: line.total ? "total" : undefined },
          h(
            "th",
            { scope: "row" },
            breakable(line.name),
            line.value === "" ? null : h("small", { class: "soft value" }, isolated(line.value)),
          ),
          h(
            "td",
            { class: "bar" },
            bar({ from: place(line.from), to: place(line.to), kind: kindOf(line) }),
          ),
          h("td", { class: "number" }, line.text),
        )
      ),
    ),
  );
}

interface Line {
  readonly name: string;
  readonly value: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly total: boolean;
}

function linesOf({ fields }: View, result: Result): Line[] {
  const bias = result.bias ?? 0;
  const values = new Map(fields.map((field) => [field.label, field.shown]));
  const moving = result.contributions.filter(({ contribution }) => contribution !== 0);
  const shown: Contribution[] = moving.slice(0, SHOWN);
  const rest = moving.slice(SHOWN);
  let at = bias;
  const changes = [...shown.map(({ contribution }) => contribution), bias, result.raw];
  const largest = Math.max(...changes.map(Math.abs));
  const add = (name: string, value: string, change: number) => {
    const text = `${change > 0 ? "+" : "−"}${shownBeside(Math.abs(change), largest)}`;
    lines.push({ name, value, from: at, to: at + change, text, total: false });
    at += change;
  };
  const total = (name: string, at: number): Line => (
    { name, value: "", from: at, to: at, text: shownBeside(at, largest), total: true }
  );
  const lines: Line[] = [total("Expected", bias)];
  for (const { feature, contribution } of shown) {
    add(feature, values.get(feature) ?? "", contribution);
  }
  if (rest.length > 0) {
    add(
      `${rest.length} other${rest.length > 1 ? "s" : ""}`,
      "",
      rest.reduce((sum, c) => sum + c.contribution, 0),
    );
  }
  lines.push(total("Raw score", result.raw));
  return lines;
}

function kindOf({ from, to, total }: Line): "up" | "down" | "neutral" {
  return total ? "neutral" : to >= from ? "up" : "down";
}

/** A column's name, which may break after its marks: a narrow table cuts words elsewhere. */
export function breakable(text: string): Element {
  const parts = text.split(/(?<=[\p{L}\p{N}][_./-])(?=[\p{L}\p{N}])/u);
  return isolated(parts.map((part, i) => i === 0 ? part : [h("wbr", null), part]));
}

/** A bar between two shares of the width; at least a hair wide, so that it can be seen. */
export function bar(
  { from, to, kind }: { from: number; to: number; kind: "up" | "down" | "neutral" },
): Element {
  const left = Math.max(0, Math.min(from, to, 0.992));
  const width = Math.max(0.008, Math.abs(to - from));
  return h(
    "svg",
    { width: "100%", height: "14", "aria-hidden": "true" },
    h("rect", {
      class: kind,
      x: `${(100 * left).toFixed(2)}%`,
      width: `${(100 * width).toFixed(2)}%`,
      height: "14",
      rx: "2",
    }),
  );
}
