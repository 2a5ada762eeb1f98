/**
 * Worker that trains folds or scores shuffled columns, whichever its name says.
 *
 * @module
 */
import { serveTasks } from "../parallel/tasks.ts";
import { foldWork } from "./fold.ts";
import { EVALUATE_WORKERS } from "./open_worker.ts";
import { shuffleWork } from "./model_importance.ts";

serveTasks(EVALUATE_WORKERS.fold, foldWork);
serveTasks(EVALUATE_WORKERS.shuffle, shuffleWork);
