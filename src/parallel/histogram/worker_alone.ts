/**
 * Entry of a worker thread that grows whole trees by itself too.
 *
 * @module
 */
import { serveCrew } from "./worker_scope.ts";
import { growMembersAlone, growTreesAlone } from "./whole_trees.ts";

serveCrew(() => Promise.resolve({ others: { growMembersAlone, growTreesAlone } }));
