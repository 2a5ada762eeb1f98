/**
 * `numpy.random.RandomState(seed).permutation(n)`, so that the training rows of the shared cases can
 * be found again: MT19937 (Matsumoto & Nishimura 1998) and numpy's masked rejection.
 *
 * @module
 */

/** 32-bit outputs of MT19937 seeded as `init_genrand`. */
function mersenne(seed: number): () => number {
  const state = new Uint32Array(624);
  state[0] = seed;
  for (let i = 1; i < 624; i++) {
    const last = state[i - 1] ^ (state[i - 1] >>> 30);
    state[i] = Math.imul(1812433253, last) + i;
  }
  let at = 624;
  return () => {
    if (at === 624) {
      for (let i = 0; i < 624; i++) {
        const y = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff);
        state[i] = state[(i + 397) % 624] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
      }
      at = 0;
    }
    let y = state[at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  };
}

/** The permutation of 0 … n − 1 that numpy's legacy generator makes. */
export function numpyPermutation(seed: number, n: number): Int32Array {
  const next = mersenne(seed);
  const order = Int32Array.from({ length: n }, (_, i) => i);
  for (let i = n - 1; i > 0; i--) {
    const mask = 2 ** (32 - Math.clz32(i)) - 1;
    let j = next() & mask;
    while (j > i) j = next() & mask;
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}
