/**
 * The playground: a model's card, a form from its columns, the score and what made it.
 *
 * @module
 */
import { html, raw } from "hono/html";
import type { Element } from "./element.ts";
import { VERSION } from "../../util/version.ts";
import { importanceTable, optionOf, whatIfPanel } from "./charts.ts";
import { resultPanel } from "./result.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { treePanel } from "./tree.ts";
import type { Field, View } from "./view.ts";

/** The whole document. `path` is where the page is; links to other routes start from there. */
export function page(view: View, nonce: string, path: string): Element {
  const { served, models, whatIf, tree } = view;
  const base = path.endsWith("/") ? path : `${path}/`;
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>${served.name} – Treeline</title>
        <link rel="icon" href="data:,">
        <style nonce="${nonce}">${raw(STYLE)}</style>
      </head>
      <body>
        <a class="skip" href="#results">To the results</a>
        <header>
              <h1>${served.name}</h1>
              <p class="soft small">${subtitle(view)}</p>
              ${models.length > 1 && modelLinks(view, path)}
            </header>
        <main>
              ${form(view, path)}
              <div id="results" aria-live="polite">
                ${resultPanel(view)}
                ${whatIf && whatIfPanel(view, whatIf)}
                ${importanceTable(view.importance)}
                ${tree && treePanel(tree, view.treeNumber, served.model.numTrees)}
                ${card(view, base)}
              </div>
            </main>
        <footer>
              Treeline ${VERSION} · <a href="${base}openapi.json">OpenAPI</a> ·
              <a href="${base}metrics">Metrics</a>
            </footer>
        <script nonce="${nonce}">${raw(SCRIPT)}</script>
      </body>
    </html>
  `;
}

function subtitle({ served }: View): string {
  const { schema, numTrees } = served.model;
  const { classes, target, features } = schema;
  const what = classes.length > 0
    ? `${classes.length} classes`
    : schema.task === "ranking"
    ? "a ranking score"
    : "a number";
  const of = target === undefined ? "" : ` of ${target.name}`;
  const columns = features.length === 1 ? "1 column" : `${features.length} columns`;
  return `Predicts ${what}${of} from ${columns} with ${numTrees} tree${numTrees === 1 ? "" : "s"}`;
}

function modelLinks({ models, served }: View, path: string): Element {
  return html`
    <nav aria-label="Models">
      <ul>${models.map((name) =>
        html`<li><a href="${path}?model=${encodeURIComponent(name)}" aria-current="${
          name === served.name ? "page" : "false"
        }">${name}</a></li>`
      )}</ul>
    </nav>
  `;
}

function form({ served, fields }: View, path: string): Element {
  return html`
    <form id="form" method="post" action="${path}">
      <h2>One row</h2>
      <input type="hidden" name="model" value="${served.name}">
      <div class="fields">${fields.map(fieldInput)}</div>
      <div class="actions"><button type="submit">Score</button></div>
    </form>
  `;
}

function fieldInput({ name, label, kind, value, options, problem }: Field): Element {
  const hint = `${name}-problem`;
  const invalid = problem === undefined ? "false" : "true";
  return html`
    <div>
      <label for="${name}">${label}</label>
      ${kind === "select"
        ? html`
          <select id="${name}" name="${name}" aria-invalid="${invalid}"
            aria-describedby="${hint}">
            ${options.map((option) => optionOf(option.value, option.label, option.value === value))}
          </select>
        `
        : html`
          <input id="${name}" name="${name}" value="${value}" inputmode="${kind === "number"
            ? "decimal"
            : "text"}"
            placeholder="missing" autocomplete="off" aria-invalid="${invalid}"
            aria-describedby="${hint}">
        `}
      <span id="${hint}" class="problem">${problem}</span>
    </div>
  `;
}

function card({ served }: View, path: string): Element {
  const { model } = served;
  const { info, schema } = model;
  const facts: (readonly [string, string | undefined])[] = [
    ["Version", served.version],
    ["Algorithm", info.algorithm],
    ["Trees", `${model.numTrees} in ${model.numRounds} rounds`],
    ["Rows of training", info.numRows?.toLocaleString("en")],
    ["Seed", info.seed?.toString()],
    [
      "Best",
      info.best &&
      `${info.best.metric} ${
        info.best.value.toPrecision(4)
      } on ${info.best.set}, round ${info.best.round}`,
    ],
    ["Classes", schema.classes.length > 0 ? schema.classes.join(", ") : undefined],
    ["Unknown columns", schema.extraColumns === "ignore" ? "ignored and reported" : "refused"],
    ["Schema", model.schemaHash],
    ["From", info.origin && `${info.origin.library} (${info.origin.format})`],
  ];
  return html`
    <section aria-labelledby="card">
      <h2 id="card">Model card</h2>
      <dl class="small">${facts.map(([name, value]) =>
        value !== undefined && html`
          <dt>${name}</dt>
          <dd>${value}</dd>
        `
      )}</dl>
      <p class="small">
        <a href="${path}v1/models/${encodeURIComponent(served.name)}">Everything as JSON</a>
      </p>
    </section>
  `;
}
