import { assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { createApp } from "../../src/server/app.ts";
import { sigmoid } from "../../src/util/math.ts";
import { VERSION } from "../../src/util/version.ts";
import { numbersModel, smallModel, smallRaw } from "../support/models/small.ts";

const python = Deno.env.get("TREELINE_CLIENTS");

/** Why a client cannot run here, or undefined. */
async function lacks(...modules: string[]): Promise<string | undefined> {
  if (python === undefined) return "TREELINE_CLIENTS names no Python";
  const code = `import ${modules.join(", ")}`;
  const { success } = await new Deno.Command(python, {
    args: ["-c", code],
    stdout: "null",
    stderr: "null",
  }).output();
  return success ? undefined : `that Python has no ${modules.join(", ")}`;
}

async function clientTest(
  name: string,
  reason: string | undefined,
  run: (address: string) => Promise<void>,
): Promise<void> {
  await Promise.resolve();
  Deno.test({
    name: reason === undefined ? name : `${name} (skipped: ${reason})`,
    ignore: reason !== undefined,
    async fn() {
      const app = createApp({
        models: { small: smallModel(), numbers: numbersModel() },
        defaultModel: "small",
      });
      const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, app.fetch);
      try {
        await run(`127.0.0.1:${server.addr.port}`);
      } finally {
        await server.shutdown();
      }
    },
  });
}

// deno-lint-ignore no-explicit-any
async function output(command: string, args: string[], stdin?: string): Promise<any> {
  const child = new Deno.Command(command, {
    args,
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(stdin ?? ""));
  await writer.close();
  const { success, stdout, stderr } = await child.output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout).trim().split("\n").at(-1)!);
}

const script = (name: string) => new URL(name, import.meta.url).pathname;
const raws = [smallRaw(20, "b", 1), smallRaw(40, "z", 0)];

await clientTest("tritonclient speaks to us", await lacks("tritonclient.http"), async (address) => {
  const found = await output(python!, [script("oip_client.py"), address]);
  assertEquals([found.live, found.ready, found.model_ready], [true, true, true]);
  assertEquals(found.absent_ready, false);
  assertEquals(found.server.extensions, ["binary_tensor_data"]);
  assertEquals(found.metadata.inputs.length, 3);
  assertEquals(found.matrix_True, [[10], [20]]);
  assertEquals(found.matrix_False, [[10], [20]]);
  assertEquals(found.id_True, "r1");
  assertEquals(found.labels, ["yes", "yes"]);
  assertEquals(found.zipped, ["yes", "yes"]);
  assertEquals(found.raw, raws);
  assertAlmostEquals(found.proba[1][1], sigmoid(raws[1]), 1e-15);
  assertStringIncludes(found.refused, "Cannot match input");
});

await clientTest(
  "MLflow's client speaks to us",
  await lacks("mlflow", "pandas", "scipy"),
  async (address) => {
    const found = await output(python!, [script("mlflow_client.py"), address]);
    assertEquals(found, {
      version: `treeline ${VERSION}`,
      labels: ["yes", "yes"],
      raw: [smallRaw(20, "b", 1), smallRaw(40, null, 0)],
    });
  },
);

await clientTest("KServe's client speaks to us", await lacks("kserve"), async (address) => {
  const found = await output(python!, [script("kserve_client.py"), address]);
  assertEquals([found.v1_ready, found.v2_live, found.v2_ready], [true, true, true]);
  assertEquals(found.v2_model, true);
  assertEquals(found.v1_rows, { predictions: ["yes", "yes"] });
  assertEquals(found.v1_matrix, { predictions: [10, 20] });
  assertEquals(found.v1_columns, { outputs: [10, 20] });
  assertStringIncludes(found.v1_refused, "3 columns");
  assertEquals(found.v2_True, ["r2", [[10], [20]]]);
  assertEquals(found.v2_False, found.v2_True);
});

await clientTest(
  "the AWS SDK for Python speaks to us",
  await lacks("boto3"),
  async (address) => {
    const found = await output(python!, [script("boto_client.py"), address]);
    assertEquals(found.csv, "10\n20\n");
    assertEquals(JSON.parse(found.json), { predictions: [{ score: sigmoid(raws[0]) }] });
    const nothing = { unknown: [], absent: [], ignored: [] };
    assertEquals(JSON.parse(found.report), { missing: ["b"], ...nothing });
    assertEquals(found.code, "E_DATA_SHAPE");
    assertStringIncludes(found.refused, "3 columns");
  },
);

const AWS = `
import { InvokeEndpointCommand, SageMakerRuntimeClient } from "npm:@aws-sdk/client-sagemaker-runtime@3.1164.0";
const client = new SageMakerRuntimeClient({
  region: "eu-west-1",
  endpoint: "http://" + Deno.args[0],
  credentials: { accessKeyId: "a", secretAccessKey: "b" },
});
const ask = async (EndpointName, ContentType, Body, Accept) => {
  const { Body: body } = await client.send(
    new InvokeEndpointCommand({ EndpointName, ContentType, Accept, Body }),
  );
  return new TextDecoder().decode(body);
};
const csv = await ask("numbers", "text/csv", "1,2\\n9,9\\n");
const json = await ask("small", "text/csv", "20,b,1\\n", "application/json");
let refused = "";
try {
  await ask("numbers", "text/csv", "1,2,3\\n");
} catch (error) {
  refused = error.message;
}
console.log(JSON.stringify({ csv, json, refused }));
`;

await clientTest(
  "the AWS SDK speaks to us",
  python === undefined ? "TREELINE_CLIENTS is not set" : undefined,
  async (address) => {
    const args = ["run", "-A", "--quiet", "--no-config", "--no-lock", "-", address];
    const found = await output(Deno.execPath(), args, AWS);
    assertEquals(found.csv, "10\n20\n");
    assertEquals(JSON.parse(found.json), { predictions: [{ score: sigmoid(raws[0]) }] });
    assertStringIncludes(found.refused, "3 columns");
  },
);
