/**
 * Worker that explains encoded rows: the plan first, then blocks of rows.
 *
 * @module
 */
import { serveTasks } from "../parallel/tasks.ts";
import { explainBlocks, SHAP_WORKER } from "./shap_blocks.ts";

serveTasks(SHAP_WORKER, explainBlocks);
