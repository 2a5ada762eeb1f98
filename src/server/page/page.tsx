// deno-lint-ignore-file jsx-key -- written once on the server, never compared
/**
 * The playground: a model's card, a form from its columns, the score and what made it.
 *
 * @module
 */
import { raw } from "hono/html";
import type { Element } from "./element.ts";
import { VERSION } from "../../util/version.ts";
import { ImportanceTable, WhatIfPanel } from "./charts.tsx";
import { ResultPanel } from "./result.tsx";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { TreePanel } from "./tree.tsx";
import type { Field, View } from "./view.ts";

/** The whole document. `path` is where the page is; links to other routes start from there. */
export function Page(
  { view, nonce, path }: { view: View; nonce: string; path: string },
): Element {
  const { served, models } = view;
  const base = path.endsWith("/") ? path : `${path}/`;
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${served.name} – Treeline`}</title>
        <link rel="icon" href="data:," />
        <style nonce={nonce}>{raw(STYLE)}</style>
      </head>
      <body>
        <a class="skip" href="#results">To the results</a>
        <header>
          <h1>{served.name}</h1>
          <p class="soft small">{subtitle(view)}</p>
          {models.length > 1 ? <Models view={view} path={path} /> : null}
        </header>
        <main>
          <Form view={view} path={path} />
          <div id="results" aria-live="polite">
            <ResultPanel view={view} />
            {view.whatIf === undefined ? null : <WhatIfPanel view={view} whatIf={view.whatIf} />}
            <ImportanceTable importance={view.importance} />
            {view.tree === undefined ? null : (
              <TreePanel
                tree={view.tree}
                number={view.treeNumber}
                count={served.model.numTrees}
              />
            )}
            <Card view={view} path={base} />
          </div>
        </main>
        <footer>
          {`Treeline ${VERSION} · `}
          <a href={`${base}openapi.json`}>OpenAPI</a>
          {" · "}
          <a href={`${base}metrics`}>Metrics</a>
        </footer>
        <script nonce={nonce}>{raw(SCRIPT)}</script>
      </body>
    </html>
  );
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

function Models({ view, path }: { view: View; path: string }): Element {
  return (
    <nav aria-label="Models">
      <ul>
        {view.models.map((name) => (
          <li>
            <a
              href={`${path}?model=${encodeURIComponent(name)}`}
              aria-current={name === view.served.name ? "page" : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Form({ view, path }: { view: View; path: string }): Element {
  return (
    <form id="form" method="post" action={path}>
      <h2>One row</h2>
      <input type="hidden" name="model" value={view.served.name} />
      <div class="fields">{view.fields.map((field) => <FieldInput field={field} />)}</div>
      <div class="actions">
        <button type="submit">Score</button>
      </div>
    </form>
  );
}

function FieldInput({ field }: { field: Field }): Element {
  const { name, label, kind, value, options, problem } = field;
  const invalid = problem === undefined ? "false" : "true";
  const hint = `${name}-problem`;
  return (
    <div>
      <label for={name}>{label}</label>
      {kind === "select"
        ? (
          <select id={name} name={name} aria-invalid={invalid} aria-describedby={hint}>
            {options.map((option) => (
              <option value={option.value} selected={option.value === value}>{option.label}</option>
            ))}
          </select>
        )
        : (
          <input
            id={name}
            name={name}
            value={value}
            inputmode={kind === "number" ? "decimal" : undefined}
            placeholder="missing"
            autocomplete="off"
            aria-invalid={invalid}
            aria-describedby={hint}
          />
        )}
      <span id={hint} class="problem">{problem ?? ""}</span>
    </div>
  );
}

function Card({ view, path }: { view: View; path: string }): Element {
  const { served } = view;
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
  return (
    <section aria-labelledby="card">
      <h2 id="card">Model card</h2>
      <dl class="small">
        {facts.flatMap(([name, value]) =>
          value === undefined ? [] : [<dt>{name}</dt>, <dd>{value}</dd>]
        )}
      </dl>
      <p class="small">
        <a href={`${path}v1/models/${encodeURIComponent(served.name)}`}>Everything as JSON</a>
      </p>
    </section>
  );
}
