// The kernels of scoring: see the files beside. All addresses are bytes of one imported memory.
// Compiled by tools/build_kernels.ts.

export { numbers as a, categories as b, trees as c } from "./score/sliced";
export { encode as d, encodeSets as e, walkRow as f } from "./score/walks";
