/**
 * How the score depends on one column, and how much the trees use each.
 *
 * @module
 */
import { html } from "hono/html";
import type { Element } from "./element.ts";
import type { Importance } from "./importance.ts";
import { bar, breakable } from "./result.ts";
import { type Field, shownNumber, shownPercent, type View, type WhatIf } from "./view.ts";

const WIDTH = 480;
const HEIGHT = 180;
const EDGE = { left: 56, right: 12, top: 12, bottom: 28 };
const ANCHORS = ["start", "middle", "end"];

/** The what-if panel: pick a column, move it, see the score. */
export function whatIfPanel(view: View, whatIf: WhatIf): Element {
  const field = view.fields[whatIf.feature];
  const { scoreName = "score" } = view.result ?? {};
  return html`
    <section aria-labelledby="what-if">
      <h2 id="what-if">What if</h2>
      <div class="row">
        <div>
          <label for="vary">Column to vary</label>
          <select id="vary" name="vary" form="form">
            ${view.fields.map(({ label }, f) => optionOf(String(f), label, f === whatIf.feature))}
          </select>
        </div>
        ${whatIf.numeric && slider(field)}
        <noscript><button type="submit" form="form">Show</button></noscript>
      </div>
      ${(whatIf.numeric ? curve : categories)(whatIf, field.label, scoreName)}
    </section>
  `;
}

/** One choice of a list. */
export function optionOf(value: string, label: string, selected: boolean): Element {
  return html`<option value="${value}" ${selected && "selected"}>${label}</option>`;
}

function slider({ label, name, range, shown, value }: Field): Element | undefined {
  if (range === undefined) return undefined;
  return html`
    <div>
      <label for="slider">${label}: <span id="slider-value">${shown}</span></label>
      <input id="slider" type="range" data-field="${name}" min="${range.min}" max="${range.max}"
        step="${range.step}" value="${value === "" ? range.middle : value}">
    </div>
  `;
}

function curve(whatIf: WhatIf, name: string, scoreName: string): Element {
  const { points } = whatIf;
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.score);
  const [x0, x1] = [xs[0], xs[xs.length - 1]];
  const [low, high] = spread(Math.min(...ys), Math.max(...ys));
  const right = WIDTH - EDGE.right;
  const px = (x: number) =>
    EDGE.left + (x1 > x0 ? (x - x0) / (x1 - x0) : 0.5) * (right - EDGE.left);
  const py = (y: number) =>
    HEIGHT - EDGE.bottom - (y - low) / (high - low) * (HEIGHT - EDGE.top - EDGE.bottom);
  const current = points.find((point) => point.current);
  const line = points.map(({ x, score }) => `${px(x).toFixed(1)},${py(score).toFixed(1)}`);
  const summary = `${scoreName} as ${name} goes from ${points[0].label} to ` +
    `${points[points.length - 1].label}: from ${shownScore(whatIf, ys[0])} to ` +
    `${shownScore(whatIf, ys[ys.length - 1])}`;
  const grid = [low, (low + high) / 2, high].map((y) =>
    html`
      <g>
        <line class="axis" x1="${EDGE.left}" x2="${right}" y1="${py(y)}" y2="${py(y)}" />
        <text x="${EDGE.left - 6}" y="${py(y) + 4}" text-anchor="end">${shownScore(
          whatIf,
          y,
        )}</text>
      </g>
    `
  );
  const labels = [x0, (x0 + x1) / 2, x1].map((x, i) =>
    html`<text x="${px(x)}" y="${HEIGHT - 8}" text-anchor="${ANCHORS[i]}">${shownNumber(x)}</text>`
  );
  const mark = current &&
    html`<circle class="mark" cx="${px(current.x)}" cy="${py(current.score)}" r="6" />`;
  return html`
    <div>
      <p class="soft small">${summary}</p>
      <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary}">
        ${grid} ${labels}
        <polyline class="curve" points="${line.join(" ")}" />
        ${mark}
      </svg>
    </div>
  `;
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

function categories(whatIf: WhatIf, name: string, scoreName: string): Element {
  const scores = whatIf.points.map((point) => point.score);
  const low = Math.min(0, ...scores);
  const high = Math.max(0, ...scores);
  const place = (x: number) => high > low ? (x - low) / (high - low) : 0;
  return html`
    <table>
      <caption>${scoreName} for each value of ${name}, all else as in the form</caption>
      <tbody>${whatIf.points.map((point) =>
        html`
          <tr class="${point.current && "current"}">
            <th scope="row">${point.label}${point.current && " (now)"}</th>
            <td class="bar">${bar(place(0), place(point.score), "neutral")}</td>
            <td class="number">${shownScore(whatIf, point.score)}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

/** Gain, cover and splits side by side. */
export function importanceTable(importance: readonly Importance[]): Element {
  const largest = Math.max(...importance.map(({ gain, splits }) => gain || splits), 1e-9);
  const rows = importance.slice(0, 20).map(({ name, gain, cover, splits }) =>
    html`
      <tr>
        <th scope="row">${breakable(name)}</th>
        <td class="bar">${bar(0, (gain || splits) / largest, "neutral")}</td>
        <td class="number">${shownPercent(gain)}</td>
        <td class="number">${shownPercent(cover)}</td>
        <td class="number">${shownPercent(splits)}</td>
      </tr>
    `
  );
  const more = importance.length - 20;
  return html`
    <section aria-labelledby="importance">
      <h2 id="importance">What the trees use</h2>
      <table class="shares">
        <caption>
          Share of the gain, the rows passed and the splits. Columns with many distinct values look
          more important than they are; none of the three says what causes the target.
        </caption>
        <thead>
          <tr>
            <th scope="col">Column</th>
            <th scope="col">Gain</th>
            <th scope="col" class="number">Gain</th>
            <th scope="col" class="number">Rows</th>
            <th scope="col" class="number">Splits</th>
          </tr>
        </thead>
        <tbody>${rows}</tbody>
      </table>
      ${more > 0 && html`<p class="soft small">and ${more} more columns</p>`}
    </section>
  `;
}
