/**
 * Which form of an answer a caller asks for (RFC 9110, 12.5.1).
 *
 * @module
 */

/**
 * The media type that a caller likes best: that of the highest weight, then the one whose range stands
 * first, then the first given. The first given as well where none is acceptable, since an answer that was
 * worked for is of more use than a refusal.
 *
 * @param accept The header, null where there is none.
 * @param types Media types in lower case, the usual one first.
 */
export function preferredType<T extends string>(
  accept: string | null,
  types: readonly [T, ...T[]],
): T {
  let best = types[0];
  if (accept === null || accept === "" || accept === "*/*") return best;
  const ranges = accept.toLowerCase().split(",").map((range) => {
    const [name, ...parameters] = range.split(";").map((part) => part.trim());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = q === undefined ? 1 : Number(q.slice(q.indexOf("=") + 1));
    return { name, weight: weight >= 0 && weight <= 1 ? weight : 0 };
  });
  let bestWeight = 0;
  let bestAt = Infinity;
  for (const type of types) {
    // The most specific range is what holds for a type.
    const names = [type, type.replace(/\/.*/, "/*"), "*/*"];
    const name = names.find((name) => ranges.some((range) => range.name === name));
    const at = ranges.findIndex((range) => range.name === name);
    if (at < 0) continue;
    const { weight } = ranges[at];
    if (weight > bestWeight || (weight === bestWeight && weight > 0 && at < bestAt)) {
      best = type;
      bestWeight = weight;
      bestAt = at;
    }
  }
  return best;
}
