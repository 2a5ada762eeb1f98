/**
 * What functions take and give has a name to import beside them. The type checker judges; running proves that
 * the doors load.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import * as all from "../../mod.ts";
import type * as predict from "../../src/predict.ts";
import type * as server from "../../src/server/mod.ts";

/** `true` where both are one type. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true
  : false;
type Option<F extends (...args: never[]) => unknown, N extends number> = Exclude<
  Parameters<F>[N],
  undefined
>;

const NAMED: readonly true[] = [
  true satisfies Same<Option<typeof all.splitDataset, 1>, all.SplitOptions>,
  true satisfies Same<Option<typeof all.kFold, 1>, all.FoldOptions>,
  true satisfies Same<ReturnType<typeof all.kFold>[number], all.Fold>,
  true satisfies Same<Option<typeof all.createDataset, 3>, all.DatasetExtras>,
  true satisfies Same<Option<typeof all.schemaFromDataset, 1>, all.SchemaOptions>,
  true satisfies Same<ReturnType<typeof all.formulaLoss>, all.Loss>,
  true satisfies Same<all.Model["rules"], all.Rules>,
  true satisfies Same<NonNullable<all.TrainOptions["checkpoint"]>, all.CheckpointOptions>,
  true satisfies Same<all.ParamSpec["kind"], all.ParamKind>,
  true satisfies Same<predict.TreelineError["code"], predict.ErrorCode>,
  true satisfies Same<predict.TreelineError["details"], predict.ErrorDetails>,
  true satisfies Same<predict.Schema["features"][number], predict.InputFeature>,
  true satisfies Same<predict.Model["info"], predict.ModelInfo>,
  true satisfies Same<NonNullable<server.ServerOptions["tokens"]>, server.Tokens>,
  true satisfies Same<NonNullable<server.ServerOptions["rateLimit"]>, server.RateLimit>,
  true satisfies Same<NonNullable<server.ServerOptions["log"]>, server.WriteLine>,
];

Deno.test("options and results of public functions have names of their own", () => {
  assertEquals(NAMED.every(Boolean), true);
  assertEquals(typeof all.splitDataset, "function");
});
