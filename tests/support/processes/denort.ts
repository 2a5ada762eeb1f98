/**
 * A Deno and a denort (the runtime part of compiled binaries) of the same version.
 *
 * @module
 */
import { hasShared, sharedPath } from "../shared.ts";

/** What `deno compile` needs; `denort` is absent where Deno downloads its own. */
export type Compiler =
  | { readonly deno: string; readonly denort?: string }
  | { readonly reason: string };

/**
 * Looks at `DENORT_BIN` (of this Deno's version), then for the test runtime beside the project, then
 * whether Deno can download its own.
 */
export async function findCompiler(): Promise<Compiler> {
  const given = Deno.env.get("DENORT_BIN");
  if (given !== undefined) return { deno: Deno.execPath(), denort: given };
  if (hasShared("tools/denort-for-tests") && Deno.build.target === "x86_64-unknown-linux-gnu") {
    const { success, stdout } = await new Deno.Command("bash", {
      args: [sharedPath("tools/denort-for-tests").pathname],
    }).output();
    const lines = new TextDecoder().decode(stdout);
    const path = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(lines)?.[1];
    const [deno, denort] = [path("deno"), path("denort")];
    if (success && deno !== undefined && denort !== undefined) return { deno, denort };
  }
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${folder}/a.ts`, "");
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["compile", "--no-config", "-o", `${folder}/a`, `${folder}/a.ts`],
      stderr: "null",
    }).output();
    if (success) return { deno: Deno.execPath() };
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  return { reason: "no denort: DENORT_BIN is not set and Deno cannot download one here" };
}
