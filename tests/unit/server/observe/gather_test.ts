import { assertEquals } from "@std/assert";
import { addMetrics, joinThreads } from "../../../../src/server/observe/gather.ts";

Deno.test("addMetrics() adds lines of one name and labels, and keeps each family together", () => {
  const one = `# HELP a Count.
# TYPE a counter
a{x="1"} 2
a{x="2 3"} 1
# HELP treeline_psi Drift.
# TYPE treeline_psi gauge
treeline_psi{m="a"} 0.5
`;
  const other = `# HELP a Count.
# TYPE a counter
a{x="2 3"} 5
a{x="4"} 1.5
# HELP treeline_psi Drift.
# TYPE treeline_psi gauge
treeline_psi{m="a"} 0.25
`;
  assertEquals(
    addMetrics([one, other, ""]),
    `# HELP a Count.
# TYPE a counter
a{x="1"} 2
a{x="2 3"} 6
a{x="4"} 1.5
# HELP treeline_psi Drift.
# TYPE treeline_psi gauge
treeline_psi{m="a"} 0.5
`,
  );
  assertEquals(addMetrics([one]), one);
});

Deno.test("joinThreads() asks every other thread", async () => {
  const ab = new MessageChannel();
  const ac = new MessageChannel();
  const patience = 1e7;
  const fromA = joinThreads([ab.port1, ac.port1], () => "a", patience);
  const fromB = joinThreads([ab.port2], () => "b", patience);
  joinThreads([ac.port2], () => "c");
  assertEquals(await fromA(), ["b", "c"]);
  assertEquals(await fromB(), ["a"]);
  for (const port of [ab.port1, ab.port2, ac.port1, ac.port2]) port.close();
});

Deno.test("joinThreads() tells the last text of each thread that is too busy to answer", async () => {
  const channels = [new MessageChannel(), new MessageChannel()];
  const ask = joinThreads(channels.map(({ port1 }) => port1), () => "", 0);
  assertEquals(await ask(), ["", ""]); // nothing is known of them yet
  const answers = channels.map(({ port2 }, peer) =>
    port2.onmessage = ({ data }) => port2.postMessage({ answer: data.ask, text: `${7 + peer}` })
  );
  let texts = [""];
  while (texts.includes("")) texts = await ask();
  for (const { port2 } of channels) port2.onmessage = () => {};
  assertEquals(await ask(), ["7", "8"]);
  channels[1].port2.onmessage = answers[1];
  assertEquals(await ask(), ["7", "8"]);
  for (const { port1, port2 } of channels) {
    port1.close();
    port2.close();
  }
});
