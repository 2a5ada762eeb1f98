/**
 * How a feature's cells are read.
 *
 * @module
 */

/** A number as it is, a category looked up by its text, or by the rules of `src/model`. */
export const Way = { number: 0, category: 1, other: 2 } as const;
