/**
 * Batches that are worked on side by side, written in the order of the table.
 *
 * @module
 */
import type { Cells } from "./score_columns.ts";
import type { TableWriter } from "./table_writer.ts";

/** What a batch came to. */
export interface Written {
  /** Lines of the result. */
  readonly count: number;
  /** Text columns. */
  readonly texts: readonly (readonly string[])[];
  /** Scores, row-major. */
  readonly cells: Cells;
}

/** Takes batches in the order of the table. */
export interface OrderedRows {
  /**
   * Takes the next batch; waits while more than `ahead` of them are not written yet.
   *
   * @throws what an earlier batch or its writing met.
   */
  add(batch: Promise<Written>, ahead: number): Promise<void>;
  /** Waits until all that were taken are written. */
  settle(): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
}

/**
 * Writes a table batch by batch, each as soon as it and those before it are ready. Its head waits for
 * the first batch: where that is refused, nothing is written, and nothing after a batch that is.
 *
 * @param write Takes each text; awaited before the next.
 */
export function orderedRows(
  writer: TableWriter,
  write: (text: string) => Promise<void>,
): OrderedRows {
  const underWay: Promise<void>[] = [];
  let last = Promise.resolve();
  let begun = false;
  async function begin(): Promise<void> {
    if (!begun) await write(writer.begin());
    begun = true;
  }
  async function writeAfter(before: Promise<void>, batch: Promise<Written>): Promise<void> {
    await before;
    const { count, texts, cells } = await batch;
    await begin();
    await write(writer.rows(count, texts, cells));
    underWay.shift();
  }
  return {
    async add(batch, ahead) {
      batch.catch(() => {}); // awaited when its turn comes, maybe after another batch failed
      last = writeAfter(last, batch);
      last.catch(() => {}); // told to who adds the next ones
      underWay.push(last);
      while (underWay.length > ahead) await underWay[0];
    },
    settle: () => last,
    async end() {
      await last;
      await begin();
      await write(writer.end());
    },
  };
}
