/**
 * Kernels that are kept as text: compiled at first use, once a process.
 *
 * @module
 */

/**
 * What gives the module of a kernel, or null where the engine cannot run it: no WebAssembly, no SIMD
 * where the kernel needs it, or a policy that forbids compiling.
 *
 * @param base64 The bytes of the module.
 */
export function lazyModule(base64: string): () => WebAssembly.Module | null {
  let compiled: WebAssembly.Module | null | undefined;
  return () => {
    if (compiled === undefined) {
      try {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
        compiled = new WebAssembly.Module(bytes);
      } catch {
        compiled = null;
      }
    }
    return compiled;
  };
}
