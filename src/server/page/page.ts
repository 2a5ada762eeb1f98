/**
 * The playground: a model's card, a form from its columns, the score and what made it.
 *
 * @module
 */
import { raw } from "hono/html";
import { type Child, type Element, h, isolated } from "./element.ts";
import { VERSION } from "../../util/version.ts";
import { importanceTable, whatIfPanel } from "./charts.ts";
import { resultPanel } from "./result.ts";
import { SCRIPT } from "./script.ts";
import { STYLE } from "./style.ts";
import { treePanel } from "./tree.ts";
import type { Field, View } from "./view.ts";

/** The whole document. `path` is where the page is; links to other routes start from there. */
export function page(
  { view, nonce, path }: { view: View; nonce: string; path: string },
): Element {
  const { served, models } = view;
  const base = path.endsWith("/") ? path : `${path}/`;
  return h(
    "html",
    { lang: "en" },
    h(
      "head",
      null,
      h("meta", { charset: "utf-8" }),
      h("meta", { name: "viewport", content: "width=device-width, initial-scale=1" }),
      h("title", null, `${served.name} – Treeline`),
      h("link", { rel: "icon", href: "data:," }),
      h("style", { nonce }, raw(STYLE)),
    ),
    h(
      "body",
      null,
      h("a", { class: "skip", href: "#results" }, "To the results"),
      h(
        "header",
        null,
        h("h1", null, isolated(served.name)),
        h("p", { class: "soft small" }, subtitle(view)),
        models.length > 1 ? modelLinks({ view, path }) : null,
      ),
      h(
        "main",
        null,
        form({ view, path }),
        h(
          "div",
          { id: "results", "aria-live": "polite" },
          resultPanel({ view }),
          view.whatIf === undefined ? null : whatIfPanel({ view, whatIf: view.whatIf }),
          importanceTable({ importance: view.importance }),
          view.tree === undefined
            ? null
            : treePanel({ tree: view.tree, number: view.treeNumber, count: served.model.numTrees }),
          card({ view, path: base }),
        ),
      ),
      h(
        "footer",
        null,
        `Treeline ${VERSION} · `,
        h("a", { href: `${base}openapi.json` }, "OpenAPI"),
        " · ",
        h("a", { href: `${base}metrics` }, "Metrics"),
      ),
      h("script", { nonce }, raw(SCRIPT)),
    ),
  );
}

function subtitle({ served }: View): Child {
  const { schema, numTrees } = served.model;
  const { classes, target, features } = schema;
  const what = classes.length > 0
    ? `${classes.length} classes`
    : schema.task === "ranking"
    ? "a ranking score"
    : "a number";
  const of = target === undefined ? null : [" of ", isolated(target.name)];
  const columns = features.length === 1 ? "1 column" : `${features.length} columns`;
  const trees = `${numTrees} tree${numTrees === 1 ? "" : "s"}`;
  return [`Predicts ${what}`, of, ` from ${columns} with ${trees}`];
}

function modelLinks({ view, path }: { view: View; path: string }): Element {
  return h(
    "nav",
    { "aria-label": "Models" },
    h(
      "ul",
      null,
      view.models.map((name) =>
        h(
          "li",
          null,
          h("a", {
            href: `${path}?model=${encodeURIComponent(name)}`,
            "aria-current": name === view.served.name ? "page" : undefined,
          }, isolated(name)),
        )
      ),
    ),
  );
}

function form({ view, path }: { view: View; path: string }): Element {
  return h(
    "form",
    { id: "form", method: "post", action: path },
    h("h2", null, "One row"),
    h("input", { type: "hidden", name: "model", value: view.asked }),
    h("div", { class: "fields" }, view.fields.map((field) => fieldInput({ field }))),
    h("div", { class: "actions" }, h("button", { type: "submit" }, "Score")),
  );
}

function fieldInput({ field }: { field: Field }): Element {
  const { name, label, kind, value, options, problem } = field;
  const invalid = problem === undefined ? "false" : "true";
  const hint = `${name}-problem`;
  return h(
    "div",
    null,
    h("label", { for: name }, isolated(label)),
    kind === "select"
      ? h(
        "select",
        { id: name, name, "aria-invalid": invalid, "aria-describedby": hint },
        options.map((option) =>
          h("option", { value: option.value, selected: option.value === value }, option.label)
        ),
      )
      : h("input", {
        id: name,
        name,
        value,
        inputmode: kind === "number" ? "decimal" : undefined,
        dir: kind === "text" ? "auto" : undefined,
        placeholder: "missing",
        autocomplete: "off",
        "aria-invalid": invalid,
        "aria-describedby": hint,
      }),
    h("span", { id: hint, class: "problem" }, problem ?? ""),
  );
}

function card({ view, path }: { view: View; path: string }): Element {
  const { served, asked } = view;
  const { model } = served;
  const { info, schema } = model;
  const facts: (readonly [string, Child])[] = [
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
    [
      "Classes",
      schema.classes.length > 0
        ? schema.classes.map((label, i) => [i === 0 ? null : ", ", isolated(label)])
        : undefined,
    ],
    ["Unknown columns", schema.extraColumns === "ignore" ? "ignored and reported" : "refused"],
    ["Schema", model.schemaHash],
    ["From", info.origin && `${info.origin.library} (${info.origin.format})`],
  ];
  return h(
    "section",
    { "aria-labelledby": "card" },
    h("h2", { id: "card" }, "Model card"),
    h(
      "dl",
      { class: "small" },
      facts.flatMap(([name, value]) =>
        value === undefined ? [] : [h("dt", null, name), h("dd", null, value)]
      ),
    ),
    h(
      "p",
      { class: "small" },
      h("a", { href: `${path}v1/models/${encodeURIComponent(asked)}` }, "Everything as JSON"),
    ),
  );
}
