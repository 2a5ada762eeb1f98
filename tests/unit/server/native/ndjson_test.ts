import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createApp } from "../../../../src/server/app.ts";
import { nextTurn } from "../../../../src/util/turn.ts";
import { numbersModel, smallModel, smallRaw } from "../../../support/models/small.ts";

const app = createApp({ models: { small: smallModel() }, maxRows: 4, maxBytes: 2000 });
const roomy = createApp({ models: { small: smallModel() } });

Deno.test("predict answers NDJSON line by line and names bad lines in their place", async () => {
  const lines = '{"age":20,"__proto__":0}\n\n{"age":"x","__proto__":0}\n[1]\n{"__proto__":1}';
  const stream = async (query: string) => {
    const response = await app.request(`/v1/models/small/predict?kind=raw${query}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: lines,
    });
    return (await response.text()).trim().split("\n").map((line) => JSON.parse(line));
  };
  const answers = await stream("");
  assertEquals(answers.length, 4);
  assertEquals(answers[0].prediction, smallRaw(20, null, 0));
  assertEquals([answers[1].error.row, answers[1].error.code, answers[1].error.column], [
    2,
    "E_DATA_PARSE",
    "age",
  ]);
  assertEquals(answers[2].error.code, "E_DATA_SHAPE");
  assertEquals(answers[3].prediction, smallRaw(null, null, 1));
  assertEquals(answers[3].absent, ["age", "job"]);
  assertEquals((await stream("&onError=fail")).length, 2);
});

Deno.test("NDJSON of a declared length is answered as a whole, as the same lines would be one by one", async () => {
  const answers = async (body: string, headers: HeadersInit, query: string) => {
    const response = await roomy.request(`/v1/models/small/predict?${query}`, {
      method: "POST",
      headers: { "content-type": "application/x-ndjson", ...headers },
      body,
    });
    const { status } = response;
    return [status, Object.fromEntries(response.headers), await response.text()] as const;
  };
  const good = '{"age":20,"__proto__":0}\r\n';
  const bad = '\n{"age":"x","__proto__":0}\n{"age":';
  const many = good.repeat(600) + bad + good.repeat(600); // three groups, a bad line in the second
  for (const body of ["", "\n", good, good + bad, "\ufeff" + good, many, good.repeat(1500)]) {
    for (const query of ["kind=raw", "onError=fail", "reasons=1"]) {
      const { length } = new TextEncoder().encode(body);
      const [, { "x-request-id": id, ...head }, text] = await answers(body, {}, query);
      const whole = await answers(body, { "content-length": `${length}` }, query);
      assert(id !== whole[1]["x-request-id"]);
      assertEquals(whole, [200, { ...head, "x-request-id": whole[1]["x-request-id"] }, text]);
    }
  }
  const text = (await roomy.request("/metrics")).text();
  assertStringIncludes(await text, "treeline_in_flight 1\n"); // this one: the others have ended
});

Deno.test("NDJSON answered as a whole lets others be heard in between", async () => {
  const body = "{}\n".repeat(5120);
  let turns = 0;
  let isDone = false;
  const counting = (async () => {
    for (; !isDone; turns++) await nextTurn();
  })();
  const response = await roomy.request("/v1/models/small/predict", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson", "content-length": `${body.length}` },
    body,
  });
  const text = await response.text();
  isDone = true;
  await counting;
  assertEquals(text.split("\n").length, 5121);
  assert(turns >= 9, `${turns}`); // ten groups of 512 lines
});

Deno.test("NDJSON: lines that take long are answered a few at a time, others heard in between", async () => {
  const { now } = performance;
  const ask = async (headers: Record<string, string>) => {
    // Each look at the clock finds it 9 ms later: three lines are a slice of 20.
    let clock = 0;
    performance.now = () => clock += 9;
    try {
      const response = await roomy.request("/v1/models/small/predict?kind=raw&reasons=1", {
        method: "POST",
        headers: { "content-type": "application/x-ndjson", ...headers },
        body: lines,
      });
      const pieces: string[] = [];
      for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
        pieces.push(piece);
      }
      return pieces;
    } finally {
      performance.now = now;
    }
  };
  const ages = Array.from({ length: 40 }, (_, i) => i + 11);
  const lines = ages.map((age) => `{"age":${age},"__proto__":0}\n`).join("");
  const streamed = await ask({});
  assert(streamed.length >= 10, `${streamed.length} pieces`);
  const whole = (await ask({ "content-length": `${lines.length}` })).join("");
  assertEquals(streamed.join(""), whole);
  const found = whole.trim().split("\n").map((line) => JSON.parse(line).prediction);
  assertEquals(found, ages.map((age) => smallRaw(age, null, 0)));
});

Deno.test("NDJSON: a caller who goes away is no failure of the server", async () => {
  const lines: string[] = [];
  const own = createApp({ models: { small: smallModel() }, log: (line) => lines.push(line) });
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const piece = new TextEncoder().encode('{"age":1,"__proto__":0}\n');
  writer.write(piece);
  const response = await own.request("/v1/models/small/predict", {
    method: "POST",
    headers: { "content-type": "application/x-ndjson" },
    body: readable,
  });
  const reader = response.body!.getReader();
  await reader.read();
  for (let turn = 0; turn < 3; turn++) await nextTurn(); // the next line is waited for
  const gone = reader.cancel();
  await writer.write(piece);
  await gone;
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  const metrics = await (await own.request("/metrics")).text();
  assert(!metrics.includes("E_INTERNAL"), metrics);
  assertEquals(lines.filter((line) => line.includes('"error"')), []);
});

Deno.test("NDJSON is answered while it is still being sent", async () => {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const line = (text: string) => new TextEncoder().encode(text);
  const sent = writer.write(line('{"age":20,"__proto__":0}\n'));
  const response = await app.request(
    new Request("http://x/v1/models/small/predict?kind=raw", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body: readable,
    }),
  );
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  assertEquals(JSON.parse((await reader.read()).value!).prediction, smallRaw(20, null, 0));
  await sent;
  const second = reader.read();
  await writer.write(line('{"age":40,"__proto__":0}\n'));
  assertEquals(JSON.parse((await second).value!).prediction, smallRaw(40, null, 0));
  await writer.close();
  assertEquals((await reader.read()).done, true);
});

Deno.test("NDJSON: lines that are there at once leave other requests their turn", async () => {
  const app = createApp({ models: { numbers: numbersModel() } });
  for (const line of ["\n", "{}\n"]) {
    let pieces = 40;
    let turns = 0;
    let ended = false;
    const counting = (async () => {
      for (; !ended; turns++) await nextTurn();
    })();
    const piece = new TextEncoder().encode(line.repeat(100));
    const body = new ReadableStream({
      pull(controller) {
        if (pieces-- > 0) controller.enqueue(piece);
        else controller.close();
      },
    });
    const response = await app.request("/v1/models/numbers/predict", {
      method: "POST",
      headers: { "content-type": "application/x-ndjson" },
      body,
    });
    await response.text();
    ended = true;
    await counting;
    assert(turns >= 10, `${turns} turns for 40 pieces`);
  }
});
