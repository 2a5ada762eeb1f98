/**
 * Memory of one thread, or of all.
 *
 * @module
 */

/** Makes memory of so many bytes, all of them 0. */
export type MakeBuffer = (byteLength: number) => ArrayBufferLike;

/** Memory that only this thread sees. */
export const ownBuffer = (byteLength: number): ArrayBuffer => new ArrayBuffer(byteLength);

/** Memory that other threads see, too. */
export const sharedBuffer = (byteLength: number): SharedArrayBuffer =>
  new SharedArrayBuffer(byteLength);
