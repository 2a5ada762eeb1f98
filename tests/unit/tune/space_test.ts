import { assert, assertEquals, assertThrows } from "@std/assert";
import { ParameterError } from "../../../src/errors.ts";
import { resolveParams } from "../../../src/params/resolve.ts";
import {
  checkJudge,
  drawParams,
  searchSpace,
  spaceFor,
  type SpaceInput,
} from "../../../src/tune/space.ts";
import { createRng } from "../../../src/util/rng.ts";

Deno.test("drawParams() draws settings that the table accepts", () => {
  const space = searchSpace("boost");
  const rng = createRng(1);
  for (let i = 0; i < 200; i++) resolveParams("boost", drawParams(space, rng));
  assert(space.ranges.size > 8);
});

Deno.test("searchSpace() takes values as fixed and ranges as ranges, under any name", () => {
  const space = searchSpace("boost", {
    n_estimators: 7,
    eta: { from: 0.1, to: 0.2, scale: "linear" },
    growth: { choices: ["leaf", "depth"] },
  }, ["eta", "max_depth"]);
  assertEquals([...space.ranges.keys()].toSorted(), ["growth", "learningRate", "maxDepth"]);
  const drawn = drawParams(space, createRng(3));
  assert(Number(drawn.learningRate) >= 0.1 && Number(drawn.learningRate) <= 0.2);
  assertEquals(drawn.rounds, 7);
});

Deno.test("drawParams() draws by ratios where the scale is log, by differences where it is linear", () => {
  for (const [scale, middle] of [["log", 0.1], ["linear", 0.505]] as const) {
    const space = searchSpace("boost", { learningRate: { from: 0.01, to: 1, scale } });
    const rng = createRng(5);
    let below = 0;
    for (let i = 0; i < 400; i++) below += +(Number(drawParams(space, rng).learningRate) < middle);
    // Half of 400 with a standard deviation of 10; five of them.
    assert(Math.abs(below - 200) < 50, `${scale}: ${below}`);
  }
});

Deno.test("spaceFor() leaves out declared ranges of another target, not those that were given", () => {
  const values = Float64Array.of(1, 2, 3);
  const data = {
    numRows: 3,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values },
  } as const;
  const ranges = (given: SpaceInput<"cart">) => [
    ...spaceFor(searchSpace("cart", given, ["criterion", "maxDepth"]), data).ranges.keys(),
  ];
  assertEquals(ranges({}), ["maxDepth"]); // Gini and entropy are of classes
  const own = ranges({ criterion: { choices: ["variance", "absolute"] } });
  assertEquals(own.toSorted(), ["criterion", "maxDepth"]);
});

Deno.test("spaceFor() leaves out declared ranges that training refuses beside the rest", () => {
  const values = Float64Array.of(1, 2, 3);
  const data = {
    numRows: 3,
    features: [{ kind: "numeric", name: "x", values }],
    target: { kind: "regression", name: "y", values },
  } as const;
  const wanted = ["alpha", "subsample", "maxLeaves"];
  const ranges = (given: SpaceInput<"boost">) => {
    const space = searchSpace("boost", given, wanted);
    return [...spaceFor(space, data).ranges.keys()].filter((name) => wanted.includes(name))
      .toSorted();
  };
  assertEquals(ranges({ loss: "absolute" }), ["alpha", "maxLeaves", "subsample"]);
  assertEquals(ranges({ loss: "reg:quantileerror" }), ["maxLeaves", "subsample"]);
  assertEquals(ranges({ loss: { choices: ["squared", "huber"] } }), ["maxLeaves", "subsample"]);
  assertEquals(ranges({ sampling: "goss" }), ["alpha", "maxLeaves"]);
  assertEquals(ranges({ treeMethod: "exact" }), ["alpha"]);
  assertEquals(ranges({ treeMethod: "lightgbm" }), ["alpha", "maxLeaves"]);
  const span = { from: 0.1, to: 1, scale: "log" } as const;
  const meant: SpaceInput<"boost">[] = [{ huberDelta: span }, { huberDelta: 2 }, { alpha: span }];
  for (const more of meant) {
    assertEquals(ranges({ loss: "huber", ...more }), ["alpha", "maxLeaves", "subsample"]);
  }
});

Deno.test("checkJudge() refuses a metric that changes with what is drawn", () => {
  const span = { from: 0.1, to: 1, scale: "log" } as const;
  const judge = (given: SpaceInput<"boost">, metric?: string) => () =>
    checkJudge(searchSpace("boost", given, ["maxDepth"]), metric);
  const losses = { loss: { choices: ["absolute", "squared"] } };
  const widths = { loss: "huber", huberDelta: span };
  const levels = { loss: "quantile", quantiles: { choices: [0.1, 0.9] } };
  for (
    const run of [judge(losses), judge(widths), judge(widths, "huber"), judge(levels, "quantile")]
  ) assertEquals(assertThrows(run, ParameterError).code, "E_PARAM_CONFLICT");
  judge(losses, "mae")();
  judge(widths, "mae")();
  judge(levels, "quantile@0.5")();
  judge({ loss: "huber", huberDelta: 2 })();
  judge({ loss: { choices: ["huber"] } })();
  judge({ learningRate: span })();
});

Deno.test("searchSpace() takes a range of one value", () => {
  const space = searchSpace("boost", { learningRate: { from: 0.25, to: 0.25, scale: "log" } });
  assertEquals(drawParams(space, createRng(1)).learningRate, 0.25);
});

Deno.test("drawParams() stays within narrow ranges and ends of many digits", () => {
  for (
    const [name, from, to] of [
      ["rounds", 12345, 12347],
      ["learningRate", 0.123451, 0.123452],
      ["gossTop", 0.99991, 0.99999], // rounded to four digits it would be 1, which is refused
    ] as const
  ) {
    for (const scale of ["linear", "log"] as const) {
      const space = searchSpace("boost", { [name]: { from, to, scale } }, [name]);
      const rng = createRng(2);
      for (let i = 0; i < 50; i++) {
        const value = Number(drawParams(space, rng)[name]);
        assert(value >= from && value <= to, `${name} ${value}`);
      }
    }
  }
});

Deno.test("searchSpace() refuses ranges outside what a parameter accepts", () => {
  for (
    const given of [
      { learningRate: { from: 0.1, to: 3, scale: "linear" } },
      { learningRate: { from: 0.3, to: 0.1, scale: "linear" } },
      { alpha: { from: 0, to: 1, scale: "log" } },
      { growth: { choices: ["sideways"] } },
      { lerningRate: { from: 0.1, to: 0.3, scale: "log" } },
    ] as const
  ) {
    assertThrows(() => searchSpace("boost", given), ParameterError);
  }
  assertThrows(() => searchSpace("boost", {}, ["preset"]), ParameterError);
  const unknown = assertThrows(() => searchSpace("boost", {}, ["lerningRate"]), ParameterError);
  assertEquals(unknown.code, "E_PARAM_UNKNOWN");
  assertEquals(unknown.details.param, "lerningRate");
});
