/**
 * CSV bytes → typed columns whose kinds follow from the data.
 *
 * @module
 */
import { DataError } from "../../errors.ts";
import type { CsvOptions } from "../options.ts";
import { createBody, type PassMeans, type PassResult } from "./body.ts";
import { type Begun, createHeadBuffer } from "./head_buffer.ts";

export { notText, type PassMeans, type PassResult, shown, type Table } from "./body.ts";

/** One pass over the input. */
export interface TablePass {
  push(bytes: Uint8Array): void;
  /** Where bytes can be written to at once, which saves a copy. */
  readonly direct?: DirectInput;
  finish(): PassResult;
  /** From now on text behind numbers is an error, since the input cannot be read again. */
  fixKinds(): void;
}

/** Takes bytes that are written to its own memory. */
export interface DirectInput {
  /** Where the next bytes may go; undefined while they must be pushed. */
  room(): Uint8Array | undefined;
  /** Says how many bytes were written to the beginning of `room`. */
  filled(count: number): void;
}

/** Begins a pass. */
export function createTablePass(options: CsvOptions, means: PassMeans = {}): TablePass {
  const head = createHeadBuffer(options);
  let body: ReturnType<typeof createBody> | undefined;

  function begin(begun: Begun | undefined): void {
    if (begun === undefined) return;
    body = createBody(begun.head, options, means, begun.rest);
    body.reader.push(begun.rest);
  }

  return {
    push(bytes) {
      if (body === undefined) begin(head.push(bytes));
      else body.reader.push(bytes);
    },
    finish() {
      if (body === undefined) begin(head.finish());
      if (body === undefined) throw new DataError("E_DATA_EMPTY", "Cannot read data: it is empty");
      body.reader.finish();
      const result = body.result();
      body.reader.release();
      return result;
    },
    fixKinds: () => body?.fixKinds(),
    direct: {
      room: () => body?.reader.room(),
      filled: (count) => body!.reader.filled(count),
    },
  };
}
