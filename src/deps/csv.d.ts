/** How `parse` reads. */
export interface ParseOptions {
  readonly separator?: string;
  readonly lazyQuotes?: boolean;
  readonly fieldsPerRecord?: number;
}
/** Splits CSV into rows of cells. */
export function parse(input: string, options?: ParseOptions): string[][];
/** How `stringify` writes. */
export interface StringifyOptions {
  readonly separator?: string;
  readonly headers?: boolean;
  readonly crlf?: boolean;
  readonly columns?: readonly (string | number)[];
}
/** Writes rows as CSV, with quotes where they are needed. */
export function stringify(
  data: readonly (readonly (string | number)[])[],
  options?: StringifyOptions,
): string;
