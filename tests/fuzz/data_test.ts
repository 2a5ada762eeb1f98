/** Random and damaged bytes into the readers: a dataset or a typed error, nothing else. */
import fc from "fast-check";
import { parseTable } from "../../src/data/csv/parse.ts";
import { parseJsonLines } from "../../src/data/records/json_lines.ts";
import { parseLibsvm } from "../../src/data/libsvm/parse.ts";
import { TreelineError } from "../../src/errors.ts";

const encoder = new TextEncoder();

/** A file that is sound, with some bytes overwritten. */
function damaged(text: string): fc.Arbitrary<Uint8Array> {
  const sound = encoder.encode(text);
  const change = fc.tuple(
    fc.nat(sound.length - 1),
    fc.oneof(fc.nat(255), fc.constantFrom(0x22, 0x2c, 0x0a, 0x0d, 0x3a, 0x7b, 0x5b)),
  );
  return fc.array(change, { maxLength: 8 }).map((changes) => {
    const bytes = sound.slice();
    for (const [at, byte] of changes) bytes[at] = byte;
    return bytes;
  });
}

function assertTyped(run: () => unknown): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof TreelineError)) throw error;
  }
}

const row = (i: number) => `${i},"text ""${i}""\n",${i / 7},NA`;
const csv = `a,b,"c, d",e\n${Array.from({ length: 20 }, (_, i) => row(i)).join("\r\n")}\n`;
const anything = fc.uint8Array({ maxLength: 400 });

Deno.test("parseTable() gives columns or a typed error for any bytes", () => {
  const badRows = fc.constantFrom("error" as const, "skip:5" as const, "skip:1000" as const);
  fc.assert(
    fc.property(fc.oneof(damaged(csv), anything), badRows, fc.boolean(), (bytes, rule, header) => {
      assertTyped(() => parseTable(bytes, { badRows: rule, header }));
    }),
    { numRuns: 3000 },
  );
});

Deno.test("parseJsonLines() and parseLibsvm() give a dataset or a typed error for any bytes", () => {
  const json = Array.from({ length: 9 }, (_, i) => JSON.stringify({ x: i, c: `t${i}`, y: null }));
  const sparse = Array.from({ length: 9 }, (_, i) => `${i % 2}:0.5 qid:${i} 0:${i} 3:-1e5 # c`);
  fc.assert(
    fc.property(fc.oneof(damaged(json.join("\n")), anything), (bytes) => {
      assertTyped(() => parseJsonLines(bytes));
    }),
    { numRuns: 1500 },
  );
  fc.assert(
    fc.property(fc.oneof(damaged(sparse.join("\n")), anything), (bytes) => {
      assertTyped(() => parseLibsvm(bytes, { absent: "zero", task: "regression" }));
    }),
    { numRuns: 1500 },
  );
});
