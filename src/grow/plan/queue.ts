/**
 * The order in which nodes are split, as a queue. Without limits every order grows the same tree,
 * since a node's split depends on its rows and its own random stream only.
 *
 * @module
 */

/** Orders of growth. */
export type GrowOrder = "depth-first" | "breadth-first" | "best-first";

/** Nodes waiting to be split. */
export interface NodeQueue {
  push(node: number, gain: number): void;
  pop(): number | undefined;
}

/** A stack, a queue, or a heap of largest gain (earlier node first on ties). */
export function createQueue(order: GrowOrder): NodeQueue {
  if (order === "best-first") return createHeap();
  const nodes: number[] = [];
  if (order === "depth-first") {
    return { push: (node) => void nodes.push(node), pop: () => nodes.pop() };
  }
  let head = 0;
  return {
    push: (node) => void nodes.push(node),
    pop: () => head < nodes.length ? nodes[head++] : undefined,
  };
}

function createHeap(): NodeQueue {
  const nodes: number[] = [];
  const gains: number[] = [];
  const before = (a: number, b: number) =>
    gains[a] > gains[b] || gains[a] === gains[b] && nodes[a] < nodes[b];
  function swap(a: number, b: number): void {
    [nodes[a], nodes[b]] = [nodes[b], nodes[a]];
    [gains[a], gains[b]] = [gains[b], gains[a]];
  }
  return {
    push(node, gain) {
      let at = nodes.push(node) - 1;
      gains.push(gain);
      while (at > 0) {
        const parent = (at - 1) >> 1;
        if (!before(at, parent)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      if (nodes.length === 0) return undefined;
      const top = nodes[0];
      swap(0, nodes.length - 1);
      nodes.pop();
      gains.pop();
      for (let at = 0;;) {
        let next = 2 * at + 1;
        if (next >= nodes.length) break;
        if (next + 1 < nodes.length && before(next + 1, next)) next++;
        if (!before(next, at)) break;
        swap(at, next);
        at = next;
      }
      return top;
    },
  };
}
