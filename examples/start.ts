// deno-lint-ignore-file no-console
// The main job: census data → boosted trees → a small file → scores by name over HTTP.
import { evaluate, loadModel, readCsv, saveModel, selectRows, train } from "../mod.ts";
import { createApp } from "../src/server/mod.ts";
import three from "./data/three_people.json" with { type: "json" };

const source = new URL("data/adult.csv.gz", import.meta.url);
const people = await readCsv(source, { target: "income" });
const learn = selectRows(people, Int32Array.from({ length: 32561 }, (_, i) => i));
const held = selectRows(people, Int32Array.from({ length: 16281 }, (_, i) => 32561 + i));
console.log(`Adult census income: learning from ${learn.numRows} people, ${held.numRows} held out`);

const step = Deno.stderr.isTerminal() ? 1 : 50; // one line that moves, or one every 50 rounds
const model = await train(learn, { algorithm: "boost", rounds: 200 }, {
  onRound({ round, rounds, seconds }) {
    const line = `round ${round} of ${rounds}, ${seconds.toFixed(1)} s`;
    const text = step > 1 ? `${line}\n` : `\r${line}${round === rounds ? "\n" : ""}`;
    if (round % step === 0) Deno.stderr.writeSync(new TextEncoder().encode(text));
  },
});
const base = await train(learn, { rounds: 0 }); // no trees: everybody gets the base rate
const both = [model, base].map((each) => evaluate(each, held).metrics);
console.log("\nheld out      model  base rate");
for (const name of Object.keys(both[0])) {
  const cells = both.map((metrics) => metrics[name].toFixed(4).padStart(10));
  console.log(name.padEnd(9) + cells.join(" "));
}

await saveModel(model, "adult.tlm", { force: true });
console.log(`\nadult.tlm: ${(await Deno.stat("adult.tlm")).size} bytes; three people over HTTP:`);
const app = createApp({ models: { adult: await loadModel("adult.tlm") } });
const body = JSON.stringify(three);
const headers = { "content-type": "application/json" };
const answer = await app.request("/v1/models/adult/predict", { method: "POST", headers, body });
for (const [i, { probabilities }] of (await answer.json()).predictions.entries()) {
  const percent = (100 * probabilities[">50K"]).toFixed(1).padStart(6);
  console.log(`${percent} % earn above 50K  (${three[i].education}, ${three[i].relationship})`);
}
console.log("\nnext: deno task cli serve adult.tlm");
