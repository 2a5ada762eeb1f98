import { assertEquals } from "@std/assert";
import { writePatterns } from "../../../src/kernels/patterns.ts";
import { A, B, bothAgree, C, D, E, law, listRows, PATTERNS } from "../../support/laws/kernels.ts";

law("chooseRows", (n, seed, k) => {
  for (const count of [1, n >> 1, n]) {
    for (const part of [0, A]) {
      bothAgree(seed, (memory, rng) => {
        for (let i = 0; i < n; i++) memory.u8[A + i] = rng.nextInt(k);
      }, (kernels, { u8 }) => {
        kernels.chooseRows(n, count, seed * 2 + k, part, 2, B, C);
        if (part !== 0) return;
        assertEquals(u8.subarray(C, C + n).reduce((a, b) => a + b, 0), Math.min(n, count));
      });
    }
  }
});

law("partition, leaf numbers", (n, seed, k) => {
  for (const width of [8, 16] as const) {
    const first = k === 5 ? 64000 : 0; // up to the last rows that two bytes can name
    bothAgree(seed, (memory, rng) => {
      writePatterns(memory, PATTERNS);
      const rows = listRows(memory, A, n, rng, k, first);
      const codes = width === 8 ? memory.u8.subarray(B) : memory.u16.subarray(B >>> 1);
      for (let i = first; i < rows; i++) codes[i] = rng.nextInt(width === 8 ? 256 : 1000);
      for (let i = 0; i < 1000; i++) memory.u8[C + i] = rng.nextInt(2);
    }, (kernels) => {
      const size = k % 2 === 0 ? 1 : 4;
      if (width === 8) kernels.splitLeaf8(A, n, B, C, -1, 0, D, size, 3, 204);
      else kernels.splitLeaf16(A, n, B, C, D, size, 3, 204);
      kernels.fillLeaf(A, n >> 1, D, size, 7);
      if (n === 0) return 0;
      if (width === 8) return kernels.partition8(A, n, E, B, C, -1, 0, PATTERNS);
      return kernels.partition16(A, n, E, B, C, PATTERNS);
    });
  }
});

law(
  "partition and leaves by the last code that goes left, which are those by its table",
  (n, seed, k) => {
    const last = seed % 255;
    const other = k < 4 ? 0 : 255;
    bothAgree(seed, (memory, rng) => {
      writePatterns(memory, PATTERNS);
      const rows = listRows(memory, A, n, rng, k);
      for (let i = 0; i < rows; i++) {
        memory.u8[B + i] = rng.nextInt(9) === 0 ? 255 : rng.nextInt(256);
      }
      for (let code = 0; code < 256; code++) {
        memory.u8[C + code] = code <= last || code === other ? 1 : 0;
      }
    }, (kernels, { u8 }) => {
      if (n === 0) return 0;
      const numLeft = kernels.partition8(A, n, D, B, C, last, other, PATTERNS);
      assertEquals(kernels.partition8(A, n, E, B, C, -1, 0, PATTERNS), numLeft);
      assertEquals(u8.slice(D, D + 2 * n), u8.slice(E, E + 2 * n));
      for (const size of [1, 4]) {
        const at = 8192 * size;
        kernels.splitLeaf8(A, n, B, C, last, other, D + at, size, 3, 204);
        kernels.splitLeaf8(A, n, B, C, -1, 0, E + at, size, 3, 204);
        assertEquals(u8.slice(D + at, D + at + 8192), u8.slice(E + at, E + at + 8192));
      }
      return numLeft;
    });
  },
);

law("partition of all rows, which is that of a list of them", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    writePatterns(memory, PATTERNS);
    const isCategory = k === 1;
    const last = isCategory ? -1 : rng.nextInt(255);
    const other = k < 4 ? 0 : 255;
    for (let i = 0; i < n; i++) memory.u8[B + i] = rng.nextInt(9) === 0 ? 255 : rng.nextInt(256);
    for (let code = 0; code < 256; code++) {
      const goesLeft = isCategory ? rng.nextInt(2) === 1 : code <= last || code === other;
      memory.u8[C + code] = goesLeft ? 1 : 0;
    }
    memory.i32.set([last, other], (C >>> 2) + 64);
    for (let i = 0; i < n; i++) memory.u16[(A >>> 1) + i] = i;
  }, (kernels, { i32, u8 }) => {
    const [last, other] = i32.subarray((C >>> 2) + 64, (C >>> 2) + 66);
    const numLeft = kernels.partitionAll8(n, D, B, C, last, other, PATTERNS);
    if (n === 0) return numLeft;
    assertEquals(kernels.partition8(A, n, E, B, C, last, other, PATTERNS), numLeft);
    assertEquals(u8.slice(D, D + 2 * n), u8.slice(E, E + 2 * n));
    return numLeft;
  });
});

law("leafSums, addLeaves", (n, seed, k) => {
  const size = k % 2 === 0 ? 1 : 4;
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < n; i++) {
      if (size === 1) memory.u8[A + i] = rng.nextInt(k);
      else memory.i32[(A >>> 2) + i] = rng.nextInt(k);
      memory.f64[(B >>> 3) + i] = rng.nextInt(1 << 30);
      memory.f64[(C >>> 3) + i] = rng.nextInt(1 << 30);
      memory.f64[(D >>> 3) + i] = rng.nextFloat();
    }
  }, (kernels) => {
    kernels.leafSums(A, size, B, C, n, 2 ** (4 * k), 2 ** 20, E, E + 8192);
    kernels.addLeaves(D, A, size, B, n);
  });
});

law("route", (n, seed, k) => {
  bothAgree(seed, (memory, rng) => {
    for (let i = 0; i < n * 4; i++) memory.u8[A + i] = rng.nextInt(256);
    for (let i = 0; i < n * 2; i++) memory.u16[(B >>> 1) + i] = rng.nextInt(1000);
    for (let i = 0; i < 1000; i++) memory.u8[C + i] = rng.nextInt(2);
    // A chain of k nodes: each sends left to a leaf and right to the next.
    for (let i = 0; i < k; i++) {
      const at = (D >>> 2) + 4 * i;
      memory.u32[at] = i % 2 === 0 ? rng.nextInt(4) : 0x80000000 + 2 * rng.nextInt(2);
      memory.u32[at + 1] = C;
      memory.i32[at + 2] = ~i;
      memory.i32[at + 3] = i + 1 < k ? i + 1 : ~k;
    }
  }, (kernels) => {
    kernels.route(A, 4, B, 4, n, D, E, 1);
    kernels.route(A, 4, B, 4, n, D, E + 4096, 4);
  });
});
