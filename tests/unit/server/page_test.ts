import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { Hono } from "hono";
import { ParameterError } from "../../../src/errors.ts";
import { createModel, type Model } from "../../../src/model/model.ts";
import { createTreeBuilder, packTrees } from "../../../src/model/trees.ts";
import { NodeKind } from "../../../src/model/types.ts";
import { createApp } from "../../../src/server/app.ts";
import { commonCategories, featureRanges } from "../../../src/server/page/defaults.ts";
import { spoken } from "../../../src/server/page/element.ts";
import { treePanel } from "../../../src/server/page/tree.ts";
import { type TreeView, treeView } from "../../../src/server/page/tree_view.ts";
import { shownBeside } from "../../../src/server/page/shown.ts";
import { randomParts } from "../../support/models/random.ts";
import { hebrewModel, numbersModel, smallModel, textModel } from "../../support/models/small.ts";
import { surrogateParts } from "../../support/models/surrogate.ts";

const app = createApp({ models: { small: smallModel(), numbers: numbersModel() } });

async function page(form?: Record<string, string>, path = "/"): Promise<string> {
  const response = await app.request(
    path,
    form === undefined ? {} : {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: new URLSearchParams(form),
    },
  );
  assertEquals(response.status, 200);
  return await response.text();
}

/** Text of the first element of a class or tag, without tags. */
function text(html: string, pattern: RegExp): string {
  return pattern.exec(html)![1].replace(/<[^>]*>/g, "");
}

Deno.test("the page shows a scored example before anything is typed", async () => {
  const html = await page();
  assertEquals(text(html, /<h1>(.*?)<\/h1>/), "small");
  // Most rows of training were above age 30 (6 of 10) and not above 0 (8 of 10); "a" and "b" were
  // as many: raw 0.25 + 1 + 0 + 0.
  assertEquals(text(html, /class="headline">(.*?)<\/p>/), "yes");
  assertStringIncludes(html, ">1.250<"); // as many decimals as give the largest four digits
  for (const part of ["Probability of each class", "What if", "What the trees use", "One tree"]) {
    assertStringIncludes(html, part);
  }
  assertStringIncludes(html, 'href="/?model=numbers"');
});

Deno.test("the form works without JavaScript: values come back, scored", async () => {
  const html = await page({ model: "small", f0: "40", f1: "c1", f2: "1", tree: "2", vary: "1" });
  assertEquals(text(html, /class="headline">(.*?)<\/p>/), "yes");
  assertStringIncludes(html, 'value="40"');
  assertStringIncludes(html, '<option value="c1" selected');
  assertStringIncludes(html, "<bdi>job</bdi> in {<bdi>b</bdi>}?");
  assertStringIncludes(html, "<bdi>b</bdi> (now)");
  const missing = await page({ model: "small", f0: "", f1: "u", f2: "" });
  assertStringIncludes(missing, "(missing)");
  assertStringIncludes(missing, "(another value)");
  const wrong = await page({ model: "small", f0: "forty", tree: "999", vary: "77" });
  assertStringIncludes(wrong, "This is not a number");
  assertStringIncludes(wrong, 'aria-invalid="true"');
});

Deno.test("scripts and styles carry the nonce of the policy, and each answer has its own", async () => {
  const nonces = new Set<string>();
  for (let i = 0; i < 2; i++) {
    const response = await app.request("/");
    const policy = response.headers.get("content-security-policy")!;
    const nonce = /'nonce-([^']+)'/.exec(policy)![1];
    nonces.add(nonce);
    const html = await response.text();
    const tags = html.match(/<(script|style)\s[^>]*>/g)!;
    assertEquals(tags.length, 2);
    for (const tag of tags) assertStringIncludes(tag, `nonce="${nonce}"`);
    assert(!/\son\w+=|\sstyle=|javascript:|https?:/.test(html.replace(/<script.*<\/script>/s, "")));
  }
  assertEquals(nonces.size, 2);
});

Deno.test("nothing from a request or a model is markup", async () => {
  const evil = '"><script>alert(1)</script>';
  const text = textModel();
  const model = createModel({
    schema: {
      ...text.schema,
      features: [{ ...text.schema.features[0], name: evil, categories: [evil, "b"] } as never],
      target: { name: evil },
    },
    ensemble: text.ensemble,
    info: { ...text.info, algorithm: evil },
  });
  const hostile = createApp({ models: { [evil]: model } });
  const response = await hostile.request("/", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ f0: evil, vary: evil, tree: evil }),
  });
  const html = await response.text();
  assertEquals(response.status, 200);
  assert(!html.includes("<script>alert"));
  assertEquals(html.match(/<script/g)!.length, 1);
});

Deno.test("names do not turn the text around them: marks that would are shown as escapes", async () => {
  const turn = "\u202e";
  const parts = smallModel();
  const schema = {
    ...parts.schema,
    target: { name: `pay${turn}ment` },
    features: parts.schema.features.map((feature) =>
      feature.kind === "numeric" ? { ...feature, name: `${feature.name}\u2067${turn}` } : {
        ...feature,
        categories: feature.categories.map((level) => `${turn}${level}\u200f`),
      }
    ),
  };
  const odd = createApp({
    models: { m: createModel({ schema, ensemble: parts.ensemble, info: parts.info }) },
  });
  const shown = async (body?: URLSearchParams) =>
    await (await odd.request("/", body === undefined ? {} : { method: "POST", body })).text();
  const first = await shown();
  const sent = new URLSearchParams({ model: "m", f0: `1${turn}2`, vary: "1" });
  for (const html of [first, await shown(sent)]) {
    // Values of the form are what was sent; a field is a line of its own.
    const text = html.replaceAll(/ value="[^"]*"/g, "");
    assertEquals(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text), false);
    assertStringIncludes(html, "pay\\u202ement");
    assertStringIncludes(html, "age\\u2067\\u202e");
  }
});

Deno.test("every name of a model is isolated, so that it moves none of the text around it", async () => {
  // Letters that are read from the right, and are nowhere else on the page.
  const odd = createApp({ models: { "מ": hebrewModel(), other: numbersModel() } });
  for (const vary of [0, 1]) {
    const html = await (await odd.request(`/?vary=${vary}&tree=2`)).text();
    // What holds one text alone needs nothing; a label is heard, a value sent.
    const rest = html.replaceAll(/<(option|title)[^]*?<\/\1>| (aria-label|value)="[^"]*"/g, "")
      .replaceAll(/<bdi>[^]*?<\/bdi>/g, "");
    assertEquals(rest.match(/.{0,40}[\u0590-\u06ff].{0,40}/g), null);
    assertEquals(html.match(/<bdi>[^<]*[\u0590-\u06ff]/g)!.length > 15, true);
  }
});

Deno.test("names of branches are isolated, where a test of categories has many", async () => {
  const node = { cover: undefined, onPath: false, children: [], hidden: 0 };
  const leaf = {
    ...node,
    when: [{ name: "רופא" }, ", ", { name: "b" }],
    text: ["1"],
    isLeaf: true,
  };
  const tree = { ...node, when: [], text: [{ name: "job" }], isLeaf: false, children: [leaf] };
  const html = String(await treePanel({ tree, number: 1, count: 1 }));
  assertStringIncludes(html, "<bdi>רופא</bdi>, <bdi>b</bdi>: ");
});

Deno.test("the page begins with the first model that can be loaded, and links to all", async () => {
  const damaged = () => Promise.reject(new Error("damaged"));
  const models = { a: damaged, b: () => damaged(), c: numbersModel(), d: smallModel() };
  const page = await createApp({ models }).request("/");
  const html = await page.text();
  assertEquals([page.status, text(html, /<h1>(.*?)<\/h1>/)], [200, "c"]);
  for (const name of Object.keys(models)) assertStringIncludes(html, `href="/?model=${name}"`);
  // Where there is none, or a damaged one is asked for, it is the server's failure.
  for (const [some, path] of [[{ a: damaged, b: damaged }, "/"], [models, "/?model=a"]] as const) {
    assertEquals((await createApp({ models: some }).request(path)).status, 500);
  }
});

Deno.test("the page of a version goes on with that version, not with the current one", async () => {
  const versions = { a: numbersModel(1), b: numbersModel(2) };
  const app = createApp({ models: { m: { versions } } });
  for (const [model, score] of [["m@a", "1"], ["m@b", "2"], ["m", "2"]]) {
    const html = await (await app.request(`/?model=${model}`)).text();
    const asked = /name="model" value="(.*?)"/.exec(html)![1];
    assertStringIncludes(html, `href="/v1/models/${encodeURIComponent(model)}"`);
    const body = new URLSearchParams({ model: asked, f0: "1", f1: "1" });
    const scored = await (await app.request("/", { method: "POST", body })).text();
    assertEquals([model, text(scored, /class="headline">(.*?)<\/p>/)], [model, score]);
  }
});

Deno.test("the page is not served where tokens are needed, unless asked for", async () => {
  const models = { m: numbersModel() };
  const closed = createApp({ models, tokens: ["t"] });
  assertEquals((await closed.request("/")).status, 404);
  assertEquals((await createApp({ models, playground: false }).request("/")).status, 404);
});

Deno.test("the app may be mounted inside another: routes, links and the form follow", async () => {
  const outer = new Hono();
  outer.route("/ml", createApp({ models: { numbers: numbersModel() } }));
  const html = await (await outer.request("/ml")).text();
  assertStringIncludes(html, 'action="/ml"');
  assertStringIncludes(html, 'href="/ml/openapi.json"');
  const answer = await outer.request("/ml/v1/models/numbers/predict", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"a":1,"b":2}',
  });
  assertEquals((await answer.json()).predictions, [10]);
  const other = await outer.request("/ml/v1/models/numbers:predict", {
    method: "POST",
    body: '{"instances":[[1,2]]}',
  });
  assertEquals(await other.json(), { predictions: [10] });
});

Deno.test("another method on a path is 405 in a mounted app, too, and is counted", async () => {
  const inner = createApp({ models: { numbers: numbersModel() } });
  const outer = new Hono();
  outer.route("/ml", inner);
  outer.get("/ml/own", (c) => c.text("own"));
  const cases = [
    ["GET", "/v1/models/numbers/predict", "POST"],
    ["HEAD", "/v1/models/numbers/predict", "POST"],
    ["OPTIONS", "/v1/models/numbers", "GET, HEAD"],
    ["POST", "/v1/models/numbers", "GET, HEAD"],
    ["PUT", "/v1/models/numbers:predict", "GET, HEAD, POST"],
    ["TRACE", "", "GET, HEAD, POST"],
  ] as const;
  for (const [method, path, allow] of cases) {
    // No Request may be made of TRACE.
    const request = new Request(`http://h/ml${path}`);
    Object.defineProperty(request, "method", { value: method });
    const { status, headers, body } = await outer.fetch(request);
    assertEquals([status, headers.get("allow")], [405, allow], `${method} ${path}`);
    if (method === "HEAD") continue;
    const problem = await new Response(body).json();
    assertEquals([problem.code, problem.details], ["E_HTTP_METHOD", { allow }]);
  }
  assertStringIncludes(inner.metrics(), `{route="(none)",status="405"} ${cases.length}\n`);
  assertEquals(await (await outer.request("/ml/own")).text(), "own");
  assertEquals((await outer.request("/ml/none")).status, 404);
});

Deno.test("who adds routes to the app, or beside it, may give its paths other methods", async () => {
  const routes = { health: "/v1/models/n/predict", predict: "/v2/models/n" }; // of a platform
  const app = createApp({ models: { n: numbersModel() }, routes });
  app.delete("/v1/models/:name", (c) => c.text(`no ${c.req.param("name")}`));
  const outer = new Hono().route("/ml", createApp({ models: { n: numbersModel() } }));
  outer.post("/ml/v1/models", (c) => c.text("added"));
  outer.put("/ml/v1/models/:name", (c) => c.text("gone", 404));
  const ask = async (to: Hono, method: string, path: string) => {
    const body = method === "GET" ? null : '{"instances":[[1,2]]}';
    const response = await to.request(path, { method, body });
    return [response.status, await response.text()];
  };
  assertEquals(await ask(app, "GET", routes.health), [200, '{"status":"ok"}']);
  assertEquals(await ask(app, "POST", routes.predict), [200, '{"predictions":[10]}']);
  assertEquals(await ask(app, "DELETE", "/v1/models/n"), [200, "no n"]);
  assertEquals(await ask(outer, "POST", "/ml/v1/models"), [200, "added"]);
  assertEquals(await ask(outer, "PUT", "/ml/v1/models/n"), [404, "gone"]);
  for (const to of [app, outer]) {
    const path = to === app ? "/v1/models" : "/ml/v1/models";
    const { status, headers } = await to.request(path, { method: "PATCH" });
    assertEquals([status, headers.get("allow")], [405, "GET, HEAD"]);
  }
});

Deno.test("links, the form and the document follow a path that is taken away before the app", async () => {
  const models = { numbers: numbersModel(), small: smallModel() };
  for (const basePath of ["/ml/eu", "/ml/eu/"]) {
    const inner = createApp({ models, basePath });
    const outer = new Hono().mount("/ml/eu", inner.fetch);
    for (const path of ["/ml/eu", "/ml/eu/"]) {
      const html = await (await outer.request(path)).text();
      assertStringIncludes(html, 'action="/ml/eu/"');
      assertStringIncludes(html, 'href="/ml/eu/openapi.json"');
      assertStringIncludes(html, 'href="/ml/eu/?model=small"');
      assertStringIncludes(html, 'href="/ml/eu/v1/models/numbers"');
    }
    const { servers } = await (await outer.request("http://h:81/ml/eu/openapi.json")).json();
    assertEquals(servers, [{ url: "http://h:81/ml/eu" }]);
    const scored = await outer.request("/ml/eu/", { method: "POST", body: "model=numbers&f0=3" });
    assertStringIncludes(await scored.text(), 'value="3"');
    // Requests that say the whole path are taken at their word.
    const routed = new Hono().route("/ml/eu", inner);
    const document = await (await routed.request("/ml/eu/openapi.json")).json();
    assertEquals(document.servers, [{ url: "http://localhost/ml/eu" }]);
  }
  for (const basePath of ["ml", "//h/ml?x", "/a b", "http://h/ml"]) {
    assertThrows(() => createApp({ models, basePath }), ParameterError, "basePath");
  }
});

Deno.test("values that have no place in a curve leave it out, and no option means missing", async () => {
  const models = { numbers: numbersModel(), small: smallModel() };
  const app = createApp({ models });
  const ask = async (form: string) => {
    const answer = await app.request("/", {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: form,
    });
    assertEquals(answer.status, 200);
    return (await answer.text()).replace(/<script[^]*/, "");
  };
  for (const value of ["1e308", "-1e308", "1e999", "-1e999", "5e-324", ""]) {
    for (const vary of [0, 1]) {
      const html = await ask(`model=numbers&f0=${value}&f1=-1.7e308&vary=${vary}`);
      assert(!/NaN|undefined/.test(html), value);
      assertStringIncludes(html, "<polyline");
    }
  }
  const odd = await ask("model=small&f1=c999&f2=1");
  assert(!/undefined/.test(odd));
  assertEquals(odd.includes("(missing)</bdi></small>"), true);
});

Deno.test("the form starts from what most rows of training had, as covers tell", () => {
  const tree = createTreeBuilder(1);
  // 100 rows: 90 at most 0.5, of the others 4 at most 7; of the 90, 60 are "c" or unknown.
  const zero = tree.splitThreshold(0, 0, 0.5, 1);
  const word = tree.splitSubset(zero, 1, new Uint32Array([0b0011]), 1);
  const high = tree.splitThreshold(zero + 1, 0, 7, 1);
  for (const leaf of [word, word + 1, high, high + 1]) tree.setValue(leaf, [leaf]);
  const covers = [[0, 100], [zero, 90], [zero + 1, 10], [word, 30], [word + 1, 60], [high, 4]];
  for (const [node, cover] of [...covers, [high + 1, 6]]) tree.setStats(node, cover, 1);
  const numbers = numbersModel();
  const model = createModel({
    info: numbers.info,
    schema: {
      ...numbers.schema,
      features: [
        { kind: "numeric", name: "gain", missing: "learnt" },
        { ...textModel().schema.features[0], name: "word", categories: ["a", "b", "c"] } as never,
      ],
    },
    ensemble: { ...numbers.ensemble, trees: packTrees([tree]) },
  });
  assertEquals(featureRanges(model)[0]?.middle, 0);
  assertEquals(commonCategories(model), [0, 2]);
});

Deno.test("the page explains no longer than the server may, and shows the score all the same", async () => {
  const late = createApp({ models: { numbers: numbersModel() }, maxMillis: -1 });
  const response = await late.request("/");
  const html = await response.text();
  assertEquals([response.status, text(html, /class="headline">(.*?)<\/p>/)], [200, "20"]);
  assertStringIncludes(html, "Cannot explain a row in -1 ms");
});

Deno.test("numbers of one column have the same decimals", () => {
  const shown = [12.5, -0.034, 1, NaN].map((value) => shownBeside(value, 12.5));
  assertEquals(shown, ["12.50", "−0.03", "1.00", "–"]);
  assertEquals(shownBeside(1234.56, 12345.6), "1235"); // four digits are enough without decimals
  assertEquals(shownBeside(2e-12, 2e-12), "2e−12");
  assertEquals(shownBeside(0, 0), "0");
});

Deno.test("a tree of the page asks whether there is a value where all numbers go one way", () => {
  const { schema, info, ensemble } = numbersModel();
  for (const [missing, test] of [[1, "is present?"], [0, "≤ Infinity?"]] as const) {
    const tree = createTreeBuilder(1);
    const first = tree.splitThreshold(0, 0, Infinity, missing);
    for (const leaf of [first, first + 1]) tree.setValue(leaf, [leaf]);
    const trees = packTrees([tree]);
    const model = createModel({ schema, info, ensemble: { ...ensemble, trees } });
    const { name } = schema.features[0];
    assertEquals(spoken(treeView(model, 0, Float64Array.of(NaN, NaN)).text), `${name} ${test}`);
  }
});

Deno.test("a tree of the page shows the way that scoring takes: surrogates, and stops at what is unknown", () => {
  const ends = (model: Model, tree: number, x: readonly number[]) => {
    const found: string[] = [];
    const walk = (node: TreeView) => {
      const below = node.children.filter(({ onPath }) => onPath);
      if (below.length === 0) found.push(spoken(node.text));
      below.forEach(walk);
    };
    walk(treeView(model, tree, Float64Array.from(x)));
    return found;
  };
  // By hand: x is missing; y > 2 goes left, where the leaf is 1; y <= 2 goes right and z decides.
  const model = createModel(surrogateParts());
  assertEquals(ends(model, 0, [NaN, 3, NaN, 9]), ["1"]);
  assertEquals(ends(model, 0, [NaN, 1, NaN, 9]), ["4"]);
  assertEquals(ends(model, 0, [NaN, NaN, 0, 9]), ["1"]);
  assertEquals(ends(model, 0, [NaN, NaN, NaN, 7]), ["2"]);
  // A category that the model does not know stops at the node that tests it.
  const parts = randomParts({ seed: 3, numeric: 0, categorical: 1, trees: 1, unknown: "node" });
  assertEquals(parts.ensemble.trees.kind[0], NodeKind.subset);
  assertEquals(ends(createModel(parts), 0, [3]).map((text) => /^c0 in/.test(text)), [true]);
});
