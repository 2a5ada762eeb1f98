/**
 * Interaction constraints: which features may follow those that are on a path already.
 *
 * @module
 */

/**
 * Features that a node may be split on by its ancestors' features: those of every group that holds
 * the whole path, and the path's own. At the root all features are open; a feature in no group
 * meets only itself.
 *
 * @param groups Features (by index) that may meet on one path.
 * @returns A function from a path to a byte for each feature, or `undefined` for all.
 */
export function interactionRule(
  groups: readonly (readonly number[])[],
  numFeatures: number,
): (path: readonly number[]) => Uint8Array | undefined {
  const sets = groups.map((group) => new Set(group));
  return (path) => {
    if (path.length === 0) return undefined;
    const open = new Uint8Array(numFeatures);
    for (const feature of path) open[feature] = 1;
    for (const group of sets) {
      if (path.every((feature) => group.has(feature))) {
        for (const feature of group) open[feature] = 1;
      }
    }
    return open;
  };
}
