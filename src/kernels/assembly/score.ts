// The kernels of scoring: see the files beside. All addresses are bytes of one imported memory.
// Compiled by tools/build_kernels.ts.

export { numbers, categories, trees } from "./score/sliced";
export { encode, encodeSets, walkRow } from "./score/walks";
