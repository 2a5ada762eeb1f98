/** When commands that write a file begin to hear Ctrl-C. */
import { assertEquals } from "@std/assert";
import { cli } from "../../../support/cli.ts";
import { tempFolder } from "../../../support/temp.ts";

for (const command of ["predict", "explain"]) {
  Deno.test(`${command} hears Ctrl-C before it has begun a file, and only where it writes one`, async () => {
    await using folder = await tempFolder();
    const data = await folder.write("d.csv", "x,y\n1,1\n2,2\n3,3\n4,4\n");
    const model = folder.file("m.tlm");
    const made = await cli(["train", data, "-t", "y", "--rounds", "2", "-o", model]);
    assertEquals(made.code, 0, made.stderr);
    const before = folder.names();

    const names: string[][] = [];
    const setup = {
      get interrupt() {
        names.push(folder.names());
        return new AbortController().signal;
      },
    };
    assertEquals((await cli([command, model, data], setup)).code, 0);
    assertEquals(names, []);
    const run = await cli([command, model, data, "--out", folder.file("p.csv")], setup);
    assertEquals(run.code, 0, run.stderr);
    assertEquals(names[0], before);
  });
}
