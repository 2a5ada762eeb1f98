/**
 * Worker that reads parts of a file of CSV.
 *
 * @module
 */
import { serveTasks } from "../parallel/tasks.ts";
import { READ_WORKER, readWork } from "./read_parts.ts";

serveTasks(READ_WORKER, readWork);
