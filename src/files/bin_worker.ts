/**
 * Worker that fills bins.
 *
 * @module
 */
import { serveTasks } from "../parallel/tasks.ts";
import { BIN_WORKER, binWork } from "./bin_work.ts";

serveTasks(BIN_WORKER, binWork);
