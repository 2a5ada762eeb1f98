/**
 * Worker that trains folds, scores shuffled columns or takes a part of an evaluation, whichever its
 * name says.
 *
 * @module
 */
import { serveTasks } from "../parallel/tasks.ts";
import { evaluateWork } from "./evaluate_rows.ts";
import { foldWork } from "./fold.ts";
import { EVALUATE_WORKERS } from "./open_worker.ts";
import { shuffleWork } from "./model_importance.ts";

serveTasks(EVALUATE_WORKERS.fold, foldWork);
serveTasks(EVALUATE_WORKERS.shuffle, shuffleWork);
serveTasks(EVALUATE_WORKERS.evaluate, evaluateWork);
