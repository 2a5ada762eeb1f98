/**
 * A module with all it needs in one text: `deno bundle`, then terser, whose names gzip packs 4 % smaller.
 *
 * @module
 */
import { minify } from "terser";

const root = new URL("../../", import.meta.url);

/**
 * Members that never leave the library, nor stand in a text: they get short names, also where an object of
 * the platform has such a member, which then is used nowhere.
 */
const INNER = [
  "any",
  "baseScore",
  "begin",
  "below",
  "blocks",
  "byName",
  "categoryAt",
  "categoryPool",
  "codesOf",
  "constant",
  "cover",
  "depth",
  "dictAt",
  "dictSize",
  "done",
  "end",
  "equal",
  "feature",
  "finish",
  "firstChild",
  "firstNode",
  "fractional",
  "gain",
  "grid",
  "half",
  "hash",
  "heaps",
  "keyOf",
  "lanes",
  "layout",
  "leaf",
  "leafOf",
  "linear",
  "lines",
  "load",
  "low",
  "maskOf",
  "multiway",
  "needsFinish",
  "nodeOf",
  "nodes",
  "numCategories",
  "numCuts",
  "numSlots",
  "numWords",
  "order",
  "pool",
  "refuseAbsent",
  "refuseExtra",
  "remaining",
  "required",
  "respond",
  "score",
  "scorer",
  "setWords",
  "sets",
  "sides",
  "slot",
  "slotOf",
  "spread",
  "start",
  "storage",
  "subset",
  "surrogates",
  "table",
  "take",
  "termCoefficient",
  "termFeature",
  "termStart",
  "threshold",
  "treeOutput",
  "treeStart",
  "treeWeight",
  "unpack",
  "unscored",
  "width",
  "write",
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
    mangle: mangle &&
      { properties: { builtins: true, regex: new RegExp(`^(${INNER.join("|")})$`) } },
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
