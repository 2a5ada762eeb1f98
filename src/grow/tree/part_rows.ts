/**
 * Parts the rows of a node among new children.
 *
 * @module
 */
import { NodeKind } from "../../model/types.ts";
import { sendRows } from "./send_rows.ts";
import { addNode, branchOfRow, type GrownTree } from "./tree.ts";

/** Stable partition of the node's own places; children share its array. */
export function partInPlace(tree: GrownTree, node: number, spare: Int32Array): void {
  const numBranches = tree.numBranches[node];
  const buffer = tree.rows[node];
  const from = tree.from[node];
  const to = tree.to[node];
  const share = tree.share[node];
  if (numBranches === 2 && share === undefined && tree.kind[node] !== NodeKind.multiway) {
    let left = from;
    let right = 0;
    if (tree.kind[node] === NodeKind.threshold && tree.surrogates[node] === undefined) {
      const { codes, numCodes } = tree.frame.features[tree.feature[node]];
      const cut = tree.code[node];
      const missingLeft = tree.missing[node] === 0;
      for (let i = from; i < to; i++) {
        const row = buffer[i];
        const c = codes[row];
        if (c <= cut || c === numCodes && missingLeft) buffer[left++] = row;
        else spare[right++] = row;
      }
    } else {
      for (let i = from; i < to; i++) {
        const row = buffer[i];
        if (branchOfRow(tree, node, row) === 0) buffer[left++] = row;
        else spare[right++] = row;
      }
    }
    for (let i = 0; i < right; i++) buffer[left + i] = spare[i];
    addNode(tree, node, buffer, from, left, undefined);
    addNode(tree, node, buffer, left, to, undefined);
    return;
  }
  const parts: number[][] = Array.from({ length: numBranches }, () => []);
  // Rows that stop at the node, for their value is none of the vocabulary, are last.
  const stopped: number[] = [];
  for (let i = from; i < to; i++) (parts[branchOfRow(tree, node, buffer[i])] ?? stopped).push(i);
  const places = Int32Array.from([...parts.flat(), ...stopped]);
  const rowsThen = buffer.slice(from, to);
  const shareThen = share?.slice(from, to);
  for (let i = 0; i < places.length; i++) {
    buffer[from + i] = rowsThen[places[i] - from];
    if (share !== undefined) share[from + i] = shareThen![places[i] - from];
  }
  let at = from;
  for (const part of parts) {
    addNode(tree, node, buffer, at, at + part.length, share);
    at += part.length;
  }
}

/** Rows whose value is missing go down every branch, with weight by share (C4.5). */
export function partByShare(tree: GrownTree, node: number): void {
  const from = tree.from[node];
  const to = tree.to[node];
  const parts = sendRows(tree, node, {
    rows: tree.rows[node].slice(from, to),
    share: tree.share[node]?.slice(from, to),
  });
  for (const part of parts) addNode(tree, node, part.rows, 0, part.rows.length, part.share);
}

/** Whether the feature that a node tests is missing in some of its rows. */
export function lacksSome(tree: GrownTree, node: number): boolean {
  const { codes, numCodes, hasMissing } = tree.frame.features[tree.feature[node]];
  if (!hasMissing) return false;
  for (let i = tree.from[node]; i < tree.to[node]; i++) {
    if (codes[tree.rows[node][i]] === numCodes) return true;
  }
  return false;
}
