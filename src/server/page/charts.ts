/**
 * How the score depends on one column, and how much the trees use each.
 *
 * @module
 */
import { type Element, h, inWords, isolated, spoken, type Words } from "./element.ts";
import type { Importance } from "./importance.ts";
import { bar, breakable } from "./result.ts";
import { shownNumber, shownPercent } from "./shown.ts";
import type { View } from "./view.ts";
import type { WhatIf } from "./what_if.ts";

const WIDTH = 480;
const HEIGHT = 180;
const EDGE = { left: 56, right: 12, top: 12, bottom: 28 };

/** The what-if panel: pick a column, move it, see the score. */
export function whatIfPanel({ view, whatIf }: { view: View; whatIf: WhatIf }): Element {
  const field = view.fields[whatIf.feature];
  const { scoreName = ["score"] } = view.result ?? {};
  return h(
    "section",
    { "aria-labelledby": "what-if" },
    h("h2", { id: "what-if" }, "What if"),
    h(
      "div",
      { class: "row" },
      h(
        "div",
        null,
        h("label", { for: "vary" }, "Column to vary"),
        h(
          "select",
          { id: "vary", name: "vary", form: "form" },
          view.fields.map((other, f) =>
            h("option", { value: String(f), selected: f === whatIf.feature }, other.label)
          ),
        ),
      ),
      whatIf.numeric && field.range !== undefined
        ? h(
          "div",
          null,
          h(
            "label",
            { for: "slider" },
            isolated(field.label),
            ": ",
            h("span", { id: "slider-value" }, field.shown),
          ),
          h("input", {
            id: "slider",
            type: "range",
            "data-field": field.name,
            min: field.range.min,
            max: field.range.max,
            step: field.range.step,
            value: field.value === "" ? field.range.middle : field.value,
          }),
        )
        : null,
      h("noscript", null, h("button", { type: "submit", form: "form" }, "Show")),
    ),
    whatIf.numeric
      ? curve({ whatIf, name: field.label, scoreName })
      : categories({ whatIf, name: field.label, scoreName }),
  );
}

function curve(
  { whatIf, name, scoreName }: { whatIf: WhatIf; name: string; scoreName: Words },
): Element {
  // What is not finite has no place.
  const points = whatIf.points.filter(({ x, score }) =>
    Number.isFinite(x) && Number.isFinite(score)
  );
  if (points.length === 0) return h("p", { class: "soft small" }, "No score here is a number");
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.score);
  const [x0, x1] = [xs[0], xs[xs.length - 1]];
  const [low, high] = spread(Math.min(...ys), Math.max(...ys));
  // Halves: the distance of two numbers may be more than a number can be.
  const px = (x: number) =>
    EDGE.left +
    (x1 > x0 ? (x / 2 - x0 / 2) / (x1 / 2 - x0 / 2) : 0.5) * (WIDTH - EDGE.left - EDGE.right);
  const py = (y: number) =>
    HEIGHT - EDGE.bottom - (y - low) / (high - low) * (HEIGHT - EDGE.top - EDGE.bottom);
  const current = points.find((point) => point.current);
  const line = points.map(({ x, score }) => `${px(x).toFixed(1)},${py(score).toFixed(1)}`);
  const summary: Words = [
    ...scoreName,
    " as ",
    { name },
    ` goes from ${points[0].label} to ${points[points.length - 1].label}: ` +
    `from ${shownScore(whatIf, ys[0])} to ${shownScore(whatIf, ys[ys.length - 1])}`,
  ];
  return h(
    "div",
    null,
    h("p", { class: "soft small" }, inWords(summary)),
    h(
      "svg",
      { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": spoken(summary) },
      [low, (low + high) / 2, high].map((y) =>
        h(
          "g",
          null,
          h("line", { class: "axis", x1: EDGE.left, x2: WIDTH - EDGE.right, y1: py(y), y2: py(y) }),
          h(
            "text",
            { x: EDGE.left - 6, y: py(y) + 4, "text-anchor": "end" },
            shownScore(whatIf, y),
          ),
        )
      ),
      [x0, x0 / 2 + x1 / 2, x1].map((x, i) =>
        h(
          "text",
          { x: px(x), y: HEIGHT - 8, "text-anchor": ["start", "middle", "end"][i] },
          shownNumber(x),
        )
      ),
      h("polyline", { class: "curve", points: line.join(" ") }),
      current === undefined
        ? null
        : h("circle", { class: "mark", cx: px(current.x), cy: py(current.score), r: "6" }),
    ),
  );
}

function shownScore({ percent }: WhatIf, score: number): string {
  return percent ? shownPercent(score) : shownNumber(score);
}

/** Room above and below; a flat line gets some too. */
function spread(low: number, high: number): readonly [number, number] {
  if (high - low > 1e-9) return [low, high];
  const room = Math.max(0.05, Math.abs(low) * 0.1);
  return [low - room, high + room];
}

function categories(
  { whatIf, name, scoreName }: { whatIf: WhatIf; name: string; scoreName: Words },
): Element {
  const scores = whatIf.points.map((point) => point.score);
  const low = Math.min(0, ...scores);
  const high = Math.max(0, ...scores);
  const place = (x: number) => high > low ? (x - low) / (high - low) : 0;
  return h(
    "table",
    null,
    h(
      "caption",
      null,
      inWords([...scoreName, " for each value of ", { name }, ", all else as in the form"]),
    ),
    h(
      "tbody",
      null,
      whatIf.points.map((point) =>
        h(
          "tr",
          { class: point.current ? "current" : undefined },
          h("th", { scope: "row" }, isolated(point.label), point.current ? " (now)" : null),
          h(
            "td",
            { class: "bar" },
            bar({ from: place(0), to: place(point.score), kind: "neutral" }),
          ),
          h("td", { class: "number" }, shownScore(whatIf, point.score)),
        )
      ),
    ),
  );
}

/** Gain, cover and splits side by side. */
export function importanceTable(
  { importance }: { importance: readonly Importance[] },
): Element {
  const largest = Math.max(...importance.map(({ gain, splits }) => gain || splits), 1e-9);
  return h(
    "section",
    { "aria-labelledby": "importance" },
    h("h2", { id: "importance" }, "What the trees use"),
    h(
      "table",
      { class: "shares" },
      h(
        "caption",
        null,
        "Share of the gain, the rows passed and the splits. Columns with many distinct values look more important than they are; none of the three says what causes the target.",
      ),
      h(
        "thead",
        null,
        h(
          "tr",
          null,
          h("th", { scope: "col" }, "Column"),
          h("th", { scope: "col" }, "Gain"),
          h("th", { scope: "col", class: "number" }, "Gain"),
          h("th", { scope: "col", class: "number" }, "Rows"),
          h("th", { scope: "col", class: "number" }, "Splits"),
        ),
      ),
      h(
        "tbody",
        null,
        importance.slice(0, 20).map(({ name, gain, cover, splits }) =>
          h(
            "tr",
            null,
            h("th", { scope: "row" }, breakable(name)),
            h(
              "td",
              { class: "bar" },
              bar({ from: 0, to: (gain || splits) / largest, kind: "neutral" }),
            ),
            h("td", { class: "number" }, shownPercent(gain)),
            h("td", { class: "number" }, shownPercent(cover)),
            h("td", { class: "number" }, shownPercent(splits)),
          )
        ),
      ),
    ),
    importance.length > 20
      ? h("p", { class: "soft small" }, `and ${importance.length - 20} more columns`)
      : null,
  );
}
