// deno-lint-ignore-file no-console
// The main job: census data → boosted trees → a small file → scores by name over HTTP.
import { evaluate, loadModel, readCsv, saveModel, selectRows, train } from "../mod.ts";
import { createApp } from "../src/server/mod.ts";

const data = new URL("./data/", import.meta.url);
const people = await readCsv(new URL("adult.csv.gz", data), { target: "income" });
const rows = (from: number, to: number) =>
  Int32Array.from({ length: to - from }, (_, i) => from + i);
const learn = selectRows(people, rows(0, 32561));
const held = selectRows(people, rows(32561, people.numRows));
console.log(`Adult census income: learning from ${learn.numRows} people, ${held.numRows} held out`);

const terminal = Deno.stderr.isTerminal();
const say = (text: string) => Deno.stderr.writeSync(new TextEncoder().encode(text));
const model = await train(learn, { algorithm: "boost", rounds: 200 }, {
  onRound({ round, rounds, seconds }) {
    const line = `round ${round} of ${rounds}, ${seconds.toFixed(1)} s`;
    if (terminal) say(`\r${line}\x1b[K${round === rounds ? "\n" : ""}`);
    else if (round % 50 === 0) say(`${line}\n`);
  },
});

const names = ["logLoss", "auc", "accuracy"];
const base = await train(learn, { rounds: 0 }); // no trees: everybody gets the base rate
const [scores, blind] = [model, base].map((each) => evaluate(each, held, names).metrics);
console.log("\nheld out     model   base rate");
for (const name of names) {
  console.log(`${name.padEnd(10)} ${scores[name].toFixed(4)}   ${blind[name].toFixed(4)}`);
}

await saveModel(model, "adult.tlm", { force: true });
const app = createApp({ models: { adult: await loadModel("adult.tlm") } });
const body = await Deno.readTextFile(new URL("three_people.json", data));
const headers = { "content-type": "application/json" };
const answer = await app.request("/v1/models/adult/predict", { method: "POST", headers, body });
console.log(`\nadult.tlm: ${(await Deno.stat("adult.tlm")).size} bytes; three people over HTTP:`);
for (const one of (await answer.json()).predictions) console.log(` ${JSON.stringify(one)}`);
console.log(`\nnext: deno task cli inspect adult.tlm, deno task cli serve adult.tlm`);
