import { assert, assertEquals, assertThrows } from "@std/assert";
import { groupFolds, timeFolds } from "../../../../src/data/dataset/folds.ts";
import { createRng } from "../../../../src/util/rng.ts";
import { ParameterError } from "../../../../src/errors.ts";

Deno.test("groupFolds() keeps groups whole, tests every row once, and balances rows", () => {
  const groups = ["a", "b", "a", "c", "d", "b", "e", "a", "f", "c"];
  const folds = groupFolds(groups, 3, 1);
  assertEquals(folds.flatMap(({ test }) => [...test]).toSorted((a, b) => a - b), [
    ...groups.keys(),
  ]);
  for (const { train, test } of folds) {
    const inside = new Set(Array.from(test, (row) => groups[row]));
    assert([...train].every((row) => !inside.has(groups[row])));
    assert(test.length >= 3 && test.length <= 4);
  }
  assertThrows(() => groupFolds(["a", "a"], 2, 0), ParameterError);
});

Deno.test("timeFolds() trains on the past only and never parts a moment", () => {
  const time = [5, 1, 1, 2, 3, 3, 3, 4, 6, 7];
  const folds = timeFolds(10, 3, time);
  assert(folds.length >= 2);
  for (const { train, test } of folds) {
    const last = Math.max(...Array.from(train, (row) => time[row]));
    assert([...test].every((row) => time[row] > last));
  }
  assertEquals(timeFolds(4, 3).map(({ train, test }) => [train.length, test.length]), [
    [1, 1],
    [2, 1],
    [3, 1],
  ]);
  assertThrows(() => timeFolds(3, 3), ParameterError);
  // Six rows of one moment fill the first block and all of the second: nothing to test there.
  const tied = timeFolds(8, 2, [0, 0, 0, 0, 0, 0, 1, 2]);
  assertEquals(tied.map(({ train, test }) => [[...train], [...test]]), [
    [[0, 1, 2, 3, 4, 5], [6, 7]],
  ]);
});

Deno.test("timeFolds() refuses a time that is no number, by its row", () => {
  const error = assertThrows(() => timeFolds(4, 2, [1, 2, NaN, 3]), ParameterError);
  assertEquals([error.code, error.details], ["E_PARAM_RANGE", { param: "time", row: 3 }]);
});

Deno.test("timeFolds() cuts rows that weigh something as if there were no others", () => {
  const rng = createRng(8);
  for (let run = 0; run < 200; run++) {
    const numRows = 12 + rng.nextInt(30);
    const times = Array.from({ length: numRows }, () => rng.nextInt(run % 2 === 0 ? 100 : 9));
    const counted = [...times.keys()].filter((row) =>
      rng.nextInt(3) > 0 && times[row] % 7 !== run % 7
    );
    const time = run % 3 === 0 ? undefined : times;
    const own = counted.map((row) => time?.[row] ?? row);
    if (new Set(own).size < 4) continue;
    const alone = timeFolds(counted.length, 3, own);
    const found = timeFolds(numRows, 3, time, counted);
    const rowsIn = (rows: Int32Array) => [...rows].filter((row) => counted.includes(row));
    assertEquals(
      found.map(({ train, test }) => [rowsIn(train), rowsIn(test)]),
      alone.map(({ train, test }) =>
        [train, test].map((part) => Array.from(part, (i) => counted[i]))
      ),
    );
    for (const { train, test } of found) {
      const last = Math.max(...Array.from(train, (row) => time?.[row] ?? row));
      assert([...test].every((row) => (time?.[row] ?? row) > last));
    }
  }
  assertThrows(
    () => timeFolds(9, 2, undefined, [3, 4]),
    ParameterError,
    "from 2 to 1 (one less than the number of different times of rows that weigh something)",
  );
});

Deno.test("groupFolds() deals rows that weigh something as if there were no others", () => {
  // Groups z and y weigh nothing, a has rows of both kinds.
  const groups = [..."zabzcazdyebyfzz"];
  const weight = [..."011011010110010"].map((digit, row) => groups[row] === "a" ? row % 2 : +digit)
    .map((value, row) => "zy".includes(groups[row]) ? 0 : value);
  const counted = [...groups.keys()].filter((row) => weight[row] > 0);
  const alone = groupFolds(counted.map((row) => groups[row]), 3, 4);
  const found = groupFolds(groups, 3, 4, counted);
  found.forEach(({ train, test }, k) => {
    assertEquals(
      [...test].filter((row) => weight[row] > 0),
      Array.from(alone[k].test, (at) => counted[at]),
    );
    const inside = new Set(Array.from(test, (row) => groups[row]));
    assert([...train].every((row) => !inside.has(groups[row])));
  });
  assertEquals(found.flatMap(({ test }) => [...test]).length, groups.length);
  const few = [...groups.keys()].filter((row) => "ab".includes(groups[row]));
  assertThrows(
    () => groupFolds(groups, 3, 4, few),
    ParameterError,
    "from 2 to 2 (the number of groups that weigh something)",
  );
});
