/**
 * The score of one row, and the contributions that made it.
 *
 * @module
 */
import { html } from "hono/html";
import type { Element } from "./element.ts";
import type { Contribution } from "../answer/explain.ts";
import { type Result, shownBeside, shownPercent, type View } from "./view.ts";

/** Contributions that get a line of their own. */
const SHOWN = 10;

/** The first thing to look at. */
export function resultPanel(view: View): Element {
  const { result, served } = view;
  if (result === undefined) {
    return html`
      <section aria-labelledby="score">
        <h2 id="score">Score</h2>
        <p class="problem">One of the values cannot be read: see the form.</p>
      </section>
    `;
  }
  const { headline, probabilities, noReasons } = result;
  return html`
    <section aria-labelledby="score">
      <h2 id="score">${served.model.schema.target?.name ?? "Score"}</h2>
      <p class="headline">${headline}</p>
      ${probabilities.length > 0 && classTable(result)}
      ${noReasons === undefined ? waterfall(view, result) : note(noReasons)}
    </section>
  `;
}

function note(text: string): Element {
  return html`<p class="soft small">${text}</p>`;
}

function classTable(result: Result): Element {
  return html`
    <table>
      <caption>Probability of each class</caption>
      <tbody>${result.probabilities.map(({ label, value }) =>
        html`
          <tr class="${label === result.headline && "current"}">
            <th scope="row">${label}</th>
            <td class="bar">${bar(0, value, "neutral")}</td>
            <td class="number">${shownPercent(value)}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

/** From the expected score to this row's, one feature at a time, the largest first. */
function waterfall(view: View, result: Result): Element {
  const lines = linesOf(view, result);
  const edges = lines.flatMap(({ from, to }) => [from, to]);
  const [low, high] = [Math.min(...edges), Math.max(...edges)];
  const place = (x: number) => high > low ? (x - low) / (high - low) : 0.5;
  return html`
    <table>
      <caption>
        What moved the score: each bar begins where the one above ends. Blue raises, orange lowers
        the raw score.
      </caption>
      <thead>
        <tr>
          <th scope="col">Column</th>
          <th scope="col">Score</th>
          <th scope="col" class="number">Change</th>
        </tr>
      </thead>
      <tbody>${lines.map((line) =>
        html`
          <tr class="${line.total && "total"}">
            <th scope="row">${breakable(line.name)}${line.value !== "" &&
              html`<small class="soft value">${line.value}</small>`}</th>
            <td class="bar">${bar(place(line.from), place(line.to), kindOf(line))}</td>
            <td class="number">${line.text}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
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
export function breakable(name: string): Element {
  const parts = name.split(/(?<=[\p{L}\p{N}][_./-])(?=[\p{L}\p{N}])/u);
  return html`${parts.map((part, i) => i === 0 ? part : html`<wbr>${part}`)}`;
}

/** A bar between two shares of the width; at least a hair wide, so that it can be seen. */
export function bar(from: number, to: number, kind: "up" | "down" | "neutral"): Element {
  const x = (100 * Math.max(0, Math.min(from, to, 0.992))).toFixed(2);
  const width = (100 * Math.max(0.008, Math.abs(to - from))).toFixed(2);
  return html`
    <svg width="100%" height="14" aria-hidden="true">
      <rect class="${kind}" x="${x}%" width="${width}%" height="14" rx="2" />
    </svg>
  `;
}
