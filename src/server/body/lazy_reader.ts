/**
 * When bodies go the short way to numbers, which row_reader.ts is.
 *
 * @module
 */
import type { Schema } from "../../data/types.ts";
import type { Contract } from "../../model/contract.ts";
import { forMany, LARGE_BODY } from "../for_many.ts";
import type { Limits } from "../types.ts";
import type { Batch } from "./batch.ts";

/** Reads bodies for one model. */
export interface RowReader {
  /**
   * A body as a batch, or undefined where it must be read the long way. The batch is good until the
   * next call.
   */
  read(body: string | Uint8Array): Batch | undefined;
}

/** What a reader needs to know: an `Encoder` has it. */
export interface Plan {
  readonly starts: boolean;
  readonly schema: Schema;
  readonly contract: Contract;
  readonly limits: Limits;
  readonly ways: Uint8Array;
  readonly codes: readonly (ReadonlyMap<string, number> | undefined)[];
}

/** Small bodies that are read the long way first: a cold start does not wait for tables. */
const FIRST = 8;

/** A reader that is made once it pays, and what makes it is loaded. */
export function lazyReader(plan: Plan): RowReader {
  let calls = 0;
  let reader: RowReader | undefined | null = null;
  return {
    read(body) {
      if (reader === null) {
        if (++calls <= FIRST && body.length < LARGE_BODY) return undefined;
        const many = forMany();
        if (many === undefined) return undefined;
        reader = many.createRowReader(plan);
      }
      return reader?.read(body);
    },
  };
}
