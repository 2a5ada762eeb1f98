/** Exported TypeScript is run as a user would: a file alone, in a process without rights or packages. */
import { assert, assertEquals } from "@std/assert";
import { exportModel } from "../../src/convert/export_model.ts";
import { probeRows } from "../../src/convert/probe_rows.ts";
import type { Row } from "../../src/data/types.ts";
import { exportModels } from "../support/reference/export_cases.ts";

interface Answer {
  readonly raw: readonly number[][];
  readonly value: readonly number[][];
  readonly classes: readonly string[];
}

/** Cells as text: JSON has neither NaN nor infinities, and the evaluator reads numbers from text. */
const asText = (rows: readonly Row[]) =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [name, cell === null ? null : String(cell)]),
    )
  );

const MAIN = `
const folder = import.meta.dirname;
const cases = JSON.parse(Deno.readTextFileSync(folder + "/rows.json"));
const answers = {};
for (const [name, rows] of Object.entries(cases)) {
  const { raw, predict, classes } = await import("./" + name + ".ts");
  answers[name] = {
    raw: rows.map((row) => raw(row).map(String)),
    value: rows.map((row) => predict(row).map(String)),
    classes,
  };
}
console.log(JSON.stringify(answers));
`;

Deno.test("exported TypeScript scores in a process of its own as the model does", async () => {
  const models = exportModels();
  const folder = await Deno.makeTempDir();
  try {
    const rows: { [name: string]: unknown } = {};
    const asked = new Map<string, readonly Row[]>();
    for (const [name, model] of models) {
      const { bytes, checkedRows } = exportModel(model, "typescript", { probes: 50 });
      assert(checkedRows >= 50);
      assertEquals(
        /^\s*(import|export \*)|require\(/m.test(new TextDecoder().decode(bytes)),
        false,
      );
      await Deno.writeFile(`${folder}/${name}.ts`, bytes);
      asked.set(name, probeRows(model, 60).rows);
      rows[name] = asText(asked.get(name)!);
    }
    await Deno.writeTextFile(`${folder}/rows.json`, JSON.stringify(rows));
    await Deno.writeTextFile(`${folder}/main.ts`, MAIN);
    const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--no-config",
        "--no-remote",
        "--no-npm",
        "--no-prompt",
        `--allow-read=${folder}`,
        `${folder}/main.ts`,
      ],
      cwd: folder,
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const answers = JSON.parse(new TextDecoder().decode(stdout)) as { [name: string]: Answer };
    for (const [name, model] of models) {
      const answer = answers[name];
      const expected = asked.get(name)!;
      assertEquals(
        answer.raw.flat().map(Number),
        Array.from(model.predictRaw(expected).data),
        `raw scores of ${name}`,
      );
      const values = model.predictValue(expected);
      answer.value.flat().map(Number).forEach((have, i) => {
        // The engine's exp() and Treeline's own differ by a unit or two of the last place.
        const difference = Math.abs(have - values[i]) / Math.max(1, Math.abs(values[i]));
        assert(difference <= 1e-14, `${name}, entry ${i}: ${have}, expected ${values[i]}`);
      });
      assertEquals(answer.classes, model.schema.classes);
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
