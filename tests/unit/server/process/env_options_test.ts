import { assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../../src/errors.ts";
import { createApp } from "../../../../src/server/app.ts";
import {
  numberFromEnv,
  optionsFromEnv,
  wholeFromEnv,
} from "../../../../src/server/process/env_options.ts";
import { numbersModel } from "../../../support/models/small.ts";

function withEnv<T>(values: { readonly [name: string]: string }, run: () => T): T {
  for (const [name, value] of Object.entries(values)) Deno.env.set(name, value);
  try {
    return run();
  } finally {
    for (const name of Object.keys(values)) Deno.env.delete(name);
  }
}

Deno.test("lists of the environment may have spaces behind their commas", () => {
  const { tokens, cors, basePath } = withEnv({
    TREELINE_TOKENS: "old, new ,",
    TREELINE_CORS: "https://a.example, https://b.example",
    TREELINE_BASE_PATH: "/ml",
  }, optionsFromEnv);
  assertEquals(tokens, ["old", "new"]);
  assertEquals(cors, ["https://a.example", "https://b.example"]);
  assertEquals(basePath, "/ml");
  assertEquals(withEnv({ TREELINE_CORS: " *" }, optionsFromEnv).cors, "*");
  assertEquals(withEnv({ TREELINE_BASE_PATH: "" }, optionsFromEnv).basePath, undefined);
});

Deno.test("empty variables of platforms are as if they were not set", () => {
  const names = [
    "AIP_HEALTH_ROUTE",
    "AIP_PREDICT_ROUTE",
    "SAGEMAKER_INFERENCE_OUTPUT",
    "TREELINE_DEFAULT_MODEL",
  ];
  const { routes, sagemakerOutput, defaultModel } = withEnv(
    Object.fromEntries(names.map((name) => [name, ""])),
    optionsFromEnv,
  );
  assertEquals([routes, sagemakerOutput, defaultModel], [{}, undefined, undefined]);
});

Deno.test("a number of the environment is refused beyond its limit, and blank as if not set", () => {
  const name = "TREELINE_RELOAD_SECONDS";
  const read = (text: string) => withEnv({ [name]: text }, () => numberFromEnv(name, 5, 2_147_483));
  assertEquals(["", " ", "0", " 0.5", "2147483"].map(read), [5, 5, 0, 0.5, 2_147_483]);
  // A timer of more milliseconds than 2³¹ − 1 fires each millisecond.
  for (const text of ["2147484", "1e400", "-1", "x", "NaN"]) {
    assertThrows(() => read(text), ParameterError, "up to 2147483");
  }
});

Deno.test("an empty list of tokens lets nobody in", async () => {
  const options = withEnv({ TREELINE_TOKENS: " ", TREELINE_LOG: "off" }, optionsFromEnv);
  const app = createApp({ models: { m: numbersModel() }, ...options });
  for (const authorization of ["", "Bearer ", "Bearer x"]) {
    assertEquals((await app.request("/v1/models", { headers: { authorization } })).status, 401);
  }
});

Deno.test("a base path of the environment that is no path is refused", () => {
  const options = withEnv({ TREELINE_BASE_PATH: "ml" }, optionsFromEnv);
  assertThrows(() => createApp({ models: { m: numbersModel() }, ...options }), ParameterError);
});

Deno.test("a misspelt variable is refused: TREELINE_TOKEN would leave the server open", () => {
  for (
    const [name, right] of [
      ["TREELINE_TOKEN", "TREELINE_TOKENS"],
      ["TREELINE_TOKENS_FILE", "TREELINE_TOKENS"],
      ["TREELINE_MAX_ROW", "TREELINE_MAX_ROWS"],
      ["TREELINE_HOST", "HOST"],
      ["TREELINE_PORT", "PORT"],
    ]
  ) {
    const error = assertThrows(() => withEnv({ [name]: "1" }, optionsFromEnv), ParameterError);
    assertEquals([name, error.code, error.details.nearest], [name, "E_PARAM_UNKNOWN", right]);
  }
  // What Kubernetes sets where a service is called treeline, and one treeline-log.
  const others = {
    TREELINE_SERVICE_HOST: "10.0.0.1",
    TREELINE_SERVICE_PORT_HTTP: "80",
    TREELINE_PORT: "tcp://10.0.0.1:80",
    TREELINE_PORT_80_TCP_PROTO: "tcp",
    TREELINE_LOG_SERVICE_HOST: "10.0.0.2",
    TREELINE_LOG_PORT: "tcp://10.0.0.2:80",
    TREELINE_LOG_PORT_80_TCP_ADDR: "10.0.0.2",
    TREELINE_STAGE: "test",
  };
  assertEquals(withEnv(others, optionsFromEnv).tokens, undefined);
});

Deno.test("switches of the environment are on or off, and nothing else", () => {
  const read = (text: string) => {
    const { log, logFeatures } = withEnv(
      { TREELINE_LOG: text, TREELINE_LOG_FEATURES: text },
      optionsFromEnv,
    );
    return [log !== undefined, logFeatures];
  };
  assertEquals([read("on"), read("off"), read("")], [[true, true], [false, false], [true, false]]);
  for (const text of ["true", "0", "OFF"]) assertThrows(() => read(text), ParameterError);
});

Deno.test("ports and threads are whole numbers", () => {
  const port = (text: string) => withEnv({ PORT: text }, () => wholeFromEnv("PORT", 8000, 65535));
  assertEquals([port("0"), port(""), port("65535")], [0, 8000, 65535]);
  for (const text of ["1.5", "65536", "-1", "http"]) assertThrows(() => port(text), ParameterError);
});
