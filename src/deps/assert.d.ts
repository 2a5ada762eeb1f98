/** Fails unless `expr` is truthy. */
export function assert(expr: unknown, msg?: string): asserts expr;
/** Fails unless both are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, msg?: string): void;
/** Fails when both are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, msg?: string): void;
/** Fails unless both are the same by `Object.is`. */
export function assertStrictEquals<T>(
  actual: unknown,
  expected: T,
  msg?: string,
): asserts actual is T;
/** Fails unless the numbers differ by at most `tolerance`. */
export function assertAlmostEquals(
  actual: number,
  expected: number,
  tolerance?: number,
  msg?: string,
): void;
/** Fails unless `actual` is greater. */
export function assertGreater<T>(actual: T, expected: T, msg?: string): void;
/** Fails unless `actual` is greater or equal. */
export function assertGreaterOrEqual<T>(actual: T, expected: T, msg?: string): void;
/** Fails unless `actual` is less. */
export function assertLess<T>(actual: T, expected: T, msg?: string): void;
/** Fails unless `actual` is less or equal. */
export function assertLessOrEqual<T>(actual: T, expected: T, msg?: string): void;
/** Fails unless `actual` contains `expected`. */
export function assertStringIncludes(actual: string, expected: string, msg?: string): void;
/** Fails unless `actual` includes every one of `expected`. */
export function assertArrayIncludes<T>(
  actual: ArrayLike<T>,
  expected: ArrayLike<T>,
  msg?: string,
): void;
/** Fails unless `actual` matches. */
export function assertMatch(actual: string, expected: RegExp, msg?: string): void;
/** Fails when `actual` matches. */
export function assertNotMatch(actual: string, expected: RegExp, msg?: string): void;
/** Fails unless `actual` is neither null nor undefined. */
export function assertExists<T>(actual: T, msg?: string): asserts actual is NonNullable<T>;
/** Fails unless every property of `expected` is in `actual`. */
// deno-lint-ignore no-explicit-any
export function assertObjectMatch(actual: any, expected: any, msg?: string): void;
/** Fails unless `actual` is an instance of `type`. */
export function assertInstanceOf<T>(
  actual: unknown,
  // deno-lint-ignore no-explicit-any
  type: new (...args: any[]) => T,
  msg?: string,
): asserts actual is T;
/** Fails unless `fn` throws; returns what was thrown. */
export function assertThrows(fn: () => unknown, msg?: string): unknown;
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  // deno-lint-ignore no-explicit-any
  errorClass: abstract new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): E;
/** Fails unless `fn` rejects; resolves to the reason. */
export function assertRejects(fn: () => PromiseLike<unknown>, msg?: string): Promise<unknown>;
export function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  // deno-lint-ignore no-explicit-any
  errorClass: abstract new (...args: any[]) => E,
  msgIncludes?: string,
  msg?: string,
): Promise<E>;
/** Always fails. */
export function fail(msg?: string): never;
