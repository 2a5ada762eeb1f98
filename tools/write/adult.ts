/**
 * Writes examples/data/adult.csv.gz from the two files of the UCI Adult data set: the training rows
 * first, the test rows after them, one header. The same input gives the same bytes.
 *
 * Use: deno run -A tools/write/adult.ts TRAIN.csv TEST.csv
 *
 * @module
 */
const [trainPath, testPath] = Deno.args;
if (trainPath === undefined || testPath === undefined) {
  throw new Error("Use: deno run -A tools/write/adult.ts TRAIN.csv TEST.csv");
}
const train = await Deno.readTextFile(trainPath);
const test = await Deno.readTextFile(testPath);
const header = train.slice(0, train.indexOf("\n") + 1);
if (!test.startsWith(header)) throw new Error("Cannot join the files: their headers differ");
const text = new Blob([train, test.slice(header.length)]);
const zipped = text.stream().pipeThrough(new CompressionStream("gzip"));
const bytes = new Uint8Array(await new Response(zipped).arrayBuffer());
bytes[9] = 255; // operating system: unknown
await Deno.writeFile(new URL("../../examples/data/adult.csv.gz", import.meta.url), bytes);
