// The kernels of classic trees; see ../classic.ts. All addresses are bytes of one imported memory.

export { rankLevels, rankValues } from "./classic/rank";
export { bestCut } from "./classic/cuts";
export { partRows } from "./classic/part";
export { growCounted } from "./classic/grow";
export { drawRows } from "./classic/draw";
