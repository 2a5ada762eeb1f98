/**
 * Metrics for people.
 *
 * @module
 */

/** `logLoss 0.2776, auc 0.9271`. */
export function metricsText(metrics: { readonly [name: string]: number | null }): string {
  return Object.entries(metrics).map(([name, value]) => `${name} ${metricText(value)}`).join(", ");
}

/** A value with four significant digits; a dash where it is not defined. */
export function metricText(value: number | null): string {
  if (value === null || Number.isNaN(value)) return "–";
  return Math.abs(value) >= 1e6 || (value !== 0 && Math.abs(value) < 1e-4)
    ? value.toExponential(3)
    : String(Number(value.toPrecision(4)));
}
