/**
 * Numbers the locals of wasm so that gzip packs its text well: which number a local has makes no difference to
 * what runs, and engines take all of them alike.
 *
 * @module
 */
// deno-lint-ignore no-external-import
import { gzipSync } from "node:zlib";
import { createRng } from "../src/util/rng.ts";

/** Swaps that are tried. */
const MOVES = 60_000;

/** Bytes by which numbers may be worse to begin with, at odds of 1 to e. */
const HEAT = 1.5;

/** A function: types of its parameters and locals, and where in the module a local is named. */
interface Body {
  readonly parameters: number;
  readonly types: readonly number[];
  readonly uses: readonly number[];
}

/**
 * The same module with other numbers of locals, found by a random search that always finds the same.
 *
 * @param textOf How the module is written down.
 */
export function renumbered(wasm: Uint8Array, textOf: (wasm: Uint8Array) => string): Uint8Array {
  const bodies = bodiesOf(wasm).filter(({ types, parameters }) => types.length > parameters + 1);
  const sizeOf = (bytes: Uint8Array) => gzipSync(textOf(bytes), { level: 9 }).length;
  const rng = createRng(1);
  let now = wasm;
  let size = sizeOf(now);
  let [best, least] = [now, size];
  for (let i = 0; i < MOVES && bodies.length > 0; i++) {
    const { parameters, types, uses } = bodies[rng.nextInt(bodies.length)];
    const [a, b] = [0, 0].map(() => parameters + rng.nextInt(types.length - parameters));
    if (a === b || types[a] !== types[b]) continue;
    const next = now.slice();
    for (const at of uses) {
      if (now[at] === a) next[at] = b;
      else if (now[at] === b) next[at] = a;
    }
    const nextSize = sizeOf(next);
    const heat = HEAT * (1 - i / MOVES);
    if (nextSize > size && rng.nextFloat() >= Math.exp((size - nextSize) / heat)) continue;
    [now, size] = [next, nextSize];
    if (size < least) [best, least] = [now, size];
  }
  return best;
}

/** The functions of a module of numbers and vectors, without tables and references. */
function bodiesOf(wasm: Uint8Array): Body[] {
  let at = 8;
  const number = (): number => {
    const byte = wasm[at++];
    return byte < 128 ? byte : byte - 128 + 128 * number();
  };
  const list = <T>(read: () => T): T[] => Array.from({ length: number() }, read);
  let parameters: number[][] = [];
  let typeOf: number[] = [];
  let bodies: Body[] = [];
  while (at < wasm.length) {
    const section = wasm[at++];
    const end = number() + at;
    if (section === 1) {
      parameters = list(() => {
        at++; // says that it is a function
        const types = list(number);
        list(number); // results
        return types;
      });
    } else if (section === 3) typeOf = list(number);
    else if (section === 10) {
      let f = 0;
      bodies = list(() => {
        const end = number() + at;
        const own = parameters[typeOf[f++]];
        const types = [
          ...own,
          ...list(() => new Array<number>(number()).fill(wasm[at++])).flat(),
        ];
        const uses: number[] = [];
        while (at < end) skipInstruction(uses);
        if (at > end) throw new RangeError("a function ends amid an instruction");
        return { parameters: own.length, types, uses };
      });
    }
    at = end;
  }
  return bodies;

  function skipInstruction(uses: number[]): void {
    const code = wasm[at++];
    if (code >= 0x20 && code <= 0x22) { // of a local
      uses.push(at);
      if (number() > 127) throw new RangeError("too many locals");
    } else if (code >= 0x28 && code <= 0x3e) { // of memory
      number();
      number();
    } else if (code === 0x0e) { // br_table
      list(number);
      number();
    } else if (
      code >= 0x02 && code <= 0x04 || code === 0x0c || code === 0x0d || code === 0x10 ||
      code === 0x23 || code === 0x24 || code >= 0x3f && code <= 0x42
    ) number();
    else if (code === 0x43) at += 4;
    else if (code === 0x44) at += 8;
    else if (code === 0xfc) skipBulk(number());
    else if (code === 0xfd) skipVector(number());
    else if (
      ![0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b].includes(code) && (code < 0x45 || code > 0xc4)
    ) {
      throw new RangeError(`instruction ${code} is not known`);
    }
  }

  function skipBulk(code: number): void {
    if (code === 10) at += 2; // memory.copy
    else if (code === 11) at++; // memory.fill
    else if (code > 7) throw new RangeError(`bulk instruction ${code} is not known`);
  }

  function skipVector(code: number): void {
    if (code === 12 || code === 13) at += 16; // a constant, a shuffle
    else if (code >= 21 && code <= 34) at++; // a lane
    else if (code <= 11 || code >= 84 && code <= 93) { // of memory
      number();
      number();
      if (code >= 84 && code <= 91) at++;
    }
  }
}
