/**
 * Which column is what: names and positions → indices, checked before any row is read.
 *
 * @module
 */
import { DataError, ParameterError } from "../../errors.ts";
import { nearest } from "../../util/nearest.ts";
import type { ColumnRef, RoleOptions } from "../options.ts";

/** Indices of the columns that are not features. */
export interface Roles {
  readonly target?: number;
  readonly weight?: number;
  readonly group?: number;
  readonly offset?: number;
  readonly drop: ReadonlySet<number>;
}

const SINGLE = ["target", "weight", "group", "offset"] as const;

/** Most names that a message lists. */
const LISTED = 10;

/**
 * Finds the columns that options name.
 *
 * @param names Every column of the input, normalised.
 * @throws {DataError} `E_DATA_SHAPE` for a column that is not there.
 * @throws {ParameterError} `E_PARAM_CONFLICT` for a column with two roles.
 */
export function resolveRoles(names: readonly string[], options: RoleOptions): Roles {
  const taken = new Map<number, string>();
  const echo: string[] = [];
  const find = (role: string, ref: ColumnRef): number => {
    const at = findColumn(names, role, ref);
    if (names[at] !== ref) echo.push(`${role}=${names[at]}`);
    const before = taken.get(at);
    if (before !== undefined && before !== role) {
      throw new ParameterError(
        "E_PARAM_CONFLICT",
        `Cannot use column "${names[at]}" as ${role}: it is the ${before} already`,
        { details: { column: names[at], param: role } },
      );
    }
    taken.set(at, role);
    return at;
  };
  const found: { [role: string]: number } = {};
  for (const role of SINGLE) {
    const ref = options[role];
    if (ref !== undefined) found[role] = find(role, ref);
  }
  const drop = new Set((options.drop ?? []).map((ref) => find("drop", ref)));
  for (const name of Object.keys(options.types ?? {})) findColumn(names, "types", name);
  // Positions are easy to get wrong, so the names they led to are said.
  if (echo.length > 0) options.onWarning?.(`Columns by position: ${echo.join(" ")}`);
  return { ...found, drop };
}

/** The kind that the caller, or the caller's schema, gave a column, if any. */
export function declaredKind(
  name: string,
  options: RoleOptions,
): "numeric" | "categorical" | undefined {
  const { types, schema } = options;
  for (const key of Object.keys(types ?? {})) {
    if (key.normalize("NFC") === name) return types![key];
  }
  const feature = schema?.features.find((one) => one.name === name);
  if (feature?.kind === "categorical") return feature.coded === true ? "numeric" : "categorical";
  return feature?.kind;
}

/** Values of a column that the caller's schema knows: categories, or classes of the target. */
export function knownValues(name: string, options: RoleOptions): readonly string[] {
  const { schema } = options;
  if (schema?.target?.name === name) return schema.classes;
  const feature = schema?.features.find((one) => one.name === name);
  return feature?.kind === "categorical" ? feature.categories : [];
}

/** Options with what a schema, if there is one, says about the target. */
export function withSchema<T extends RoleOptions>(options: T, names: readonly string[]): T {
  const { schema } = options;
  if (schema === undefined) return options;
  const target = schema.target?.name;
  return {
    ...(target !== undefined && names.includes(target) && { target }),
    task: schema.task === "classification" ? "classification" : "regression",
    allowSingleClass: true,
    ...options,
  };
}

/**
 * Position of a column: by name first, then by position, a number, or text that is one and no
 * column's name.
 */
export function findColumn(names: readonly string[], role: string, ref: ColumnRef): number {
  if (typeof ref === "string") {
    const at = names.indexOf(ref.normalize("NFC"));
    if (at >= 0) return at;
  }
  const position = typeof ref === "number" ? ref : /^\d+$/.test(ref) ? Number(ref) : -1;
  if (Number.isInteger(position) && position >= 0 && position < names.length) return position;
  const right = typeof ref === "string" ? nearest(ref, names) : undefined;
  throw new DataError(
    "E_DATA_SHAPE",
    typeof ref === "number"
      ? `Cannot use column ${ref} as ${role}: expected 0 to ${names.length - 1}`
      : `Cannot find ${
        role === "types" || role === "drop" ? "" : `${role} `
      }column "${ref}": the columns are ${listNames(names)}`,
    {
      details: {
        param: role,
        column: ref,
        columns: names.slice(0, LISTED),
        ...(right !== undefined && {
          hint: right.trim() === ref
            ? "leave out the spaces around names and text (trim, --trim)"
            : `did you mean "${right}"?`,
        }),
      },
    },
  );
}

/** Names in quotes for a message, the first few. */
function listNames(names: readonly string[]): string {
  const shown = names.slice(0, LISTED).map((name) => `"${name}"`).join(", ");
  return names.length > LISTED ? `${shown} and ${names.length - LISTED} more` : shown;
}
