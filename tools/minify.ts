/**
 * A module with all it needs in one text: `deno bundle`, then terser, whose names gzip packs 4 % smaller.
 *
 * @module
 */
import { minify } from "terser";

const root = new URL("../", import.meta.url);

/** Members that never leave the library, nor stand in a text: they get short names. */
const INNER = [
  "baseScore",
  "begin",
  "below",
  "blocks",
  "byName",
  "categoryAt",
  "categoryPool",
  "codesOf",
  "dictAt",
  "dictSize",
  "equal",
  "firstChild",
  "firstNode",
  "fractional",
  "half",
  "heaps",
  "keyOf",
  "lanes",
  "leafOf",
  "linear",
  "lines",
  "maskOf",
  "multiway",
  "needsFinish",
  "nodeOf",
  "numCategories",
  "numCuts",
  "numSlots",
  "numWords",
  "pool",
  "readStats",
  "refuseAbsent",
  "refuseExtra",
  "remaining",
  "respond",
  "scorer",
  "setWords",
  "sides",
  "slotOf",
  "spread",
  "subset",
  "surrogates",
  "take",
  "termCoefficient",
  "termFeature",
  "termStart",
  "treeOutput",
  "treeStart",
  "treeWeight",
  "unpack",
];

/** Each function stays one, so that those which run at the start can be told from the others. */
const COMPRESS = {
  pure_getters: true,
  ecma: 2020,
  passes: 2,
  inline: 1,
  reduce_funcs: false,
  lhs_constants: false,
} as const;

/** The same by `deno bundle` alone; `names` keeps what its functions are called. */
export async function plainBundle(entry: string, names = false): Promise<Uint8Array<ArrayBuffer>> {
  const out = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const flags = names ? [] : ["--minify"];
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["bundle", "--quiet", ...flags, "--platform", "browser", "-o", out, entry],
      cwd: root,
    }).output();
    if (!success) throw new Error(`deno bundle ${entry}: ${new TextDecoder().decode(stderr)}`);
    return await Deno.readFile(out);
  } finally {
    await Deno.remove(out);
  }
}

/** What terser makes of a module; without `mangle`, names stay as they are. */
export async function shorten(text: string, mangle = true): Promise<string> {
  const { code } = await minify(text, {
    module: true,
    ecma: 2020,
    compress: COMPRESS,
    mangle: mangle && { properties: { regex: new RegExp(`^(${INNER.join("|")})$`) } },
    format: {
      ascii_only: true, // one character beyond Latin-1 makes V8 keep the whole text in two bytes each
      wrap_func_args: false, // parentheses come later, where they pay
    },
  });
  return code!;
}

/** By `deno bundle` and terser, in the order of the files. */
export async function minifiedBundle(entry: string): Promise<string> {
  const code = await shorten(new TextDecoder().decode(await plainBundle(entry)));
  // Who looks a member up by its name would not find it.
  const text = INNER.find((name) => code.includes(`"${name}"`));
  if (text !== undefined) throw new Error(`${entry}: the member ${text} stands in a text`);
  return code;
}
