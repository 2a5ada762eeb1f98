/**
 * Errors on their way from a worker: what makes them up goes by message, or by shared memory where the
 * thread that waits hears no messages, and the class comes back.
 *
 * @module
 */
import { DataError, ModelError, ParameterError, TrainingError, TreelineError } from "../errors.ts";
import { isThreadFailed, threadFailed } from "../grow/thread_failed.ts";

/** Message, code and details of an error. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code?: string;
  readonly details?: Record<string, unknown>;
}

/** An error as a message can carry it. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return { name: "Error", message: String(error) };
  const { name, message, code, details } = error as Error & Partial<Failure>;
  return { name, message, ...(code && { code }), ...(details && { details }) };
}

/** The error that a thread met, of the class that it had there. */
export function errorOf({ name, message, code, details }: Failure): Error {
  const options = { details: details ?? {} };
  switch (name) {
    case "DataError":
      return new DataError(code as DataError["code"], message, options);
    case "ModelError":
      return new ModelError(code as ModelError["code"], message, options);
    case "ParameterError":
      return new ParameterError(code as ParameterError["code"], message, options);
    case "TrainingError":
      return new TrainingError(code as TrainingError["code"], message, options);
    default:
      return new Error(message);
  }
}

/** A place in shared memory where the first thread that fails says why. */
export interface FailureSlot {
  /** See {@linkcode Word}. */
  readonly words: Int32Array;
  readonly text: Uint8Array;
}

const Word = { failed: 0, taken: 1, bytes: 2 } as const;
const TEXT_AT = 16;

/** The slot at a byte of a buffer. */
export function failureSlot(buffer: ArrayBufferLike, at: number, byteLength: number): FailureSlot {
  return {
    words: new Int32Array(buffer, at, 3),
    text: new Uint8Array(buffer, at + TEXT_AT, byteLength - TEXT_AT),
  };
}

/**
 * Notes that this thread has failed; the reason is that of the first which has one. It throws nothing,
 * whatever was thrown: whoever waits for a thread that ends here would wait for ever.
 */
export function noteFailure({ words, text }: FailureSlot, error: unknown): void {
  try {
    if (!isThreadFailed(error) && Atomics.compareExchange(words, Word.taken, 0, 1) === 0) {
      const bytes = bytesOf(error, text.length);
      text.set(bytes);
      Atomics.store(words, Word.bytes, bytes.length);
    }
  } catch {
    // A reason that is not to be told leaves the failure without one.
  } finally {
    Atomics.store(words, Word.failed, 1);
  }
}

/** Throws what has been noted, once no thread is at work. */
export function throwNoted({ words, text }: FailureSlot): void {
  if (Atomics.load(words, Word.failed) === 0) return;
  const byteLength = Atomics.load(words, Word.bytes);
  if (byteLength === 0) throw threadFailed();
  // Texts are not decoded from shared memory.
  throw errorOf(JSON.parse(new TextDecoder().decode(text.slice(0, byteLength))));
}

/** A failure as bytes: without its details, then with a shorter message, where it does not fit. */
function bytesOf(error: unknown, most: number): Uint8Array {
  const whole = failureOnThread(error);
  const { details: _, ...plain } = whole;
  for (const failure of [whole, plain, { ...plain, message: `${plain.message.slice(0, 80)}…` }]) {
    const bytes = new TextEncoder().encode(JSON.stringify(failure));
    if (bytes.length <= most) return bytes;
  }
  return new Uint8Array(0);
}

/** A failure of training; errors that are not the library's own say where they come from. */
export function failureOnThread(error: unknown): Failure {
  const failure = failureOf(error);
  if (error instanceof TreelineError) return failure;
  const message = `Cannot continue: a training thread has failed (${failure.message})`;
  return { name: "TrainingError", code: "E_TRAIN_NUMERIC", message };
}
