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
  /** Takes the next batch; writes the oldest one where more than `ahead` of them are under way. */
  add(batch: Promise<Written>, ahead: number): Promise<void>;
  /** Writes what is left. */
  end(): Promise<void>;
}

/**
 * Writes a table batch by batch. Its head waits for the first batch: where that is refused, nothing
 * is written.
 *
 * @param write Takes each text; awaited before the next.
 */
export function orderedRows(
  writer: TableWriter,
  write: (text: string) => Promise<void>,
): OrderedRows {
  const underWay: Promise<Written>[] = [];
  let begun = false;
  async function begin(): Promise<void> {
    if (!begun) await write(writer.begin());
    begun = true;
  }
  async function writeNext(): Promise<void> {
    const { count, texts, cells } = await underWay.shift()!;
    await begin();
    await write(writer.rows(count, texts, cells));
  }
  return {
    async add(batch, ahead) {
      batch.catch(() => {}); // awaited when its turn comes, maybe after another batch failed
      underWay.push(batch);
      if (underWay.length > ahead) await writeNext();
    },
    async end() {
      while (underWay.length > 0) await writeNext();
      await begin();
      await write(writer.end());
    },
  };
}
