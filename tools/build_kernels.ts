// deno-lint-ignore-file no-console
/**
 * Compiles the AssemblyScript kernels to wasm and writes them as text into TypeScript modules.
 *
 * `deno task kernels` writes; `deno task kernels --check` fails where a module is out of date.
 *
 * @module
 */
import asc from "assemblyscript/asc";
import { renumbered } from "./renumber.ts";

/** One module of wasm. */
interface Kernel {
  readonly source: string;
  readonly output: string;
  /** Compiler flags besides the common ones. */
  readonly flags: readonly string[];
  /**
   * How the bytes are written: text that keeps bytes apart is a quarter smaller once gzipped, as hex are
   * a tenth, which engines decode by themselves.
   */
  readonly as: "base64" | "text" | "hex";
}

const COMMON = ["--runtime", "stub", "--optimizeLevel", "3", "--noAssert", "--importMemory"];

/** Every kernel of the project. */
const KERNELS: readonly Kernel[] = [
  {
    source: "src/kernels/assembly/train.ts",
    output: "src/kernels/wasm_bytes.ts",
    // The loader marks the memory as shared, or gives it another size to begin with (the same number
    // of bytes in the file).
    flags: [
      "--enable",
      "simd",
      "--enable",
      "bulk-memory",
      "--enable",
      "threads",
      "--initialMemory",
      "65536",
      "--maximumMemory",
      "65536",
      // Constants lie between the control words of threads and what the arena hands out.
      "--memoryBase",
      "2048",
      "--use",
      "abort=",
    ],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/classic.ts",
    output: "src/kernels/classic_bytes.ts",
    flags: ["--enable", "bulk-memory", "--maximumMemory", "65536", "--use", "abort="],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/score.ts",
    output: "src/model/score/wasm_bytes.ts",
    flags: [
      "--enable",
      "simd",
      "--converge",
      "--initialMemory",
      "1",
      "--noExportMemory",
    ],
    as: "text",
  },
  {
    source: "src/kernels/assembly/prover.ts",
    output: "src/format/prover_bytes.ts",
    // A page at least: fewer questions whether an address is within the memory.
    flags: [
      "--enable",
      "simd",
      "--shrinkLevel",
      "2",
      "--converge",
      "--initialMemory",
      "1",
      "--noExportMemory",
    ],
    as: "hex",
  },
  {
    source: "src/kernels/assembly/masks.ts",
    output: "src/model/score/mask_bytes.ts",
    flags: ["--enable", "simd"],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/rows.ts",
    output: "src/model/score/rows/wasm_bytes.ts",
    // A page at least: what is below its end is there without a question.
    flags: [
      "--enable",
      "simd",
      "--enable",
      "relaxed-simd",
      "--initialMemory",
      "1",
      "--noExportMemory",
    ],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/csv.ts",
    output: "src/data/reading/wasm_bytes.ts",
    // A page at least: what is below its end is there without a question.
    flags: ["--enable", "simd", "--enable", "bulk-memory", "--initialMemory", "1"],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/xgboost.ts",
    output: "src/convert/xgboost/wasm_bytes.ts",
    flags: ["--enable", "bulk-memory"],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/json.ts",
    output: "src/server/body/wasm_bytes.ts",
    // A page at least: what is below its end is there without a question.
    flags: ["--enable", "simd", "--enable", "bulk-memory", "--initialMemory", "1"],
    as: "base64",
  },
  {
    source: "src/kernels/assembly/answer.ts",
    output: "src/server/answer/wasm_bytes.ts",
    flags: ["--enable", "simd", "--initialMemory", "1"],
    as: "base64",
  },
];

/** Compiles one source file, read from the project's folder. */
async function compile({ source, flags }: Kernel): Promise<Uint8Array> {
  let wasm: Uint8Array | undefined;
  const { error, stderr } = await asc.main(
    [source, "--outFile", "out.wasm", ...COMMON, ...flags],
    {
      readFile: (name: string) => Deno.readTextFile(name).catch(() => null),
      writeFile: (name: string, content: string | Uint8Array) => {
        if (name === "out.wasm" && typeof content !== "string") wasm = content;
      },
      listFiles: () => [],
    },
  );
  if (error || wasm === undefined) throw new Error(`${source}: ${error?.message}\n${stderr}`);
  return wasm;
}

/** The same module with its memory imported as `a.a`, where each byte counts: of kernels written as text. */
function withShortImport(wasm: Uint8Array): Uint8Array {
  const name = "\x03env\x06memory";
  const at = String.fromCharCode(...wasm).indexOf(name);
  const short = [1, 97, 1, 97];
  const bytes = [...wasm.subarray(0, at), ...short, ...wasm.subarray(at + name.length)];
  // Before the first import stand the bytes of the section, one byte, and how many imports there are.
  bytes[at - 2] -= name.length - short.length;
  return Uint8Array.from(bytes);
}

/**
 * A printable character a byte, from "(" on, and `#` or `$` before it where the byte is too large.
 * Starting at byte 253 makes the bytes that are frequent in wasm single characters.
 */
function plainText(wasm: Uint8Array): string {
  let text = "";
  for (const byte of wasm) {
    const value = byte + 3 & 255;
    if (value >= 86) text += "#$"[Math.floor(value / 86) - 1];
    text += String.fromCharCode(40 + value % 86);
  }
  return text.replaceAll("\\", "\\\\");
}

function moduleText({ source, as }: Kernel, wasm: Uint8Array): string {
  const text = as === "text"
    ? plainText(wasm)
    : as === "hex"
    ? Array.from(wasm, (byte) => byte.toString(16).padStart(2, "0")).join("")
    : btoa(String.fromCharCode(...wasm));
  return `// Generated from ${source} by tools/build_kernels.ts (${wasm.length} bytes); do not edit.\n` +
    `/** The kernels of ${source}, wasm in ${as}. */\n` +
    `export const WASM_${as.toUpperCase()} = "${text}";\n`;
}

const check = Deno.args.includes("--check");
let stale = false;
for (const kernel of KERNELS) {
  const wasm = await compile(kernel);
  const text = kernel.as === "base64" ? moduleText(kernel, wasm) : moduleText(
    kernel,
    renumbered(withShortImport(wasm), (bytes) => moduleText(kernel, bytes)),
  );
  const old = await Deno.readTextFile(kernel.output).catch(() => "");
  if (!check) await Deno.writeTextFile(kernel.output, text);
  stale ||= old !== text;
  const verdict = old === text ? "unchanged" : check ? "OUT OF DATE" : "written";
  console.log(`${kernel.output}: ${text.length} characters, ${verdict}`);
}
if (check && stale) Deno.exit(1);
