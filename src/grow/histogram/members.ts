/**
 * Whole rounds of the members of a committee, each by one thread: gradients from the member's own
 * scores, rows drawn, a tree for each output. What a member's round is made with comes as JSON, the
 * trees go back as those of `alone.ts`.
 *
 * @module
 */
import { forkRng } from "../../util/rng.ts";
import {
  type AloneTask,
  createPlace,
  readLimits,
  readTasks,
  writeNoTree,
  writeTree,
} from "./alone.ts";
import { type ColumnDraw, columnSampler } from "./column_sampler.ts";
import { gradientStats } from "./gradients/stats.ts";
import { Op } from "./workspace/op.ts";
import { forItems, type HistContext } from "./workspace/context.ts";
import { areFinite, chooseQuanta } from "./gradients/quanta.ts";
import { growRoundTree, type TreePlace } from "./round_tree.ts";
import { drawRows, type RowDraw } from "./gradients/row_draw.ts";

/** A member's round. */
export interface MemberTask {
  readonly member: number;
  readonly rows: RowDraw;
  /** Seed and names of the stream that rows are drawn by. */
  readonly stream: readonly [seed: number, ...path: number[]];
  /** A tree for each output, in order; quanta are chosen by who grows it. */
  readonly trees: readonly {
    readonly task: Omit<AloneTask["task"], "quanta">;
    readonly columns: ColumnDraw;
  }[];
}

/** Takes members until none is left; their trees go to places of their own, member by member. */
export function growMembersAlone(context: HistContext): void {
  const { layout, memory } = context;
  const tasks = readTasks(context) as MemberTask[];
  forItems(memory, tasks.length, (i) => growMember(context, tasks[i], i), layout.counter);
}

/** One member's round; a gradient that is not finite leaves its trees away. */
function growMember(context: HistContext, { member, rows, stream, trees }: MemberTask, i: number) {
  const place = placeOf(context, member);
  const { team } = place;
  const [seed, ...path] = stream;
  drawRows(team, rows, member, forkRng(seed, ...path));
  team.run(Op.gradients);
  for (let k = 0; k < trees.length; k++) {
    const { task, columns } = trees[k];
    const stats = gradientStats(team, task.output);
    if (!areFinite(stats)) {
      for (let left = k; left < trees.length; left++) {
        writeNoTree(context, i * trees.length + left);
      }
      return;
    }
    const quanta = chooseQuanta(stats, team.context.layout.sets[0].rows.numRows);
    const made = growRoundTree(
      place,
      { ...task, limits: readLimits(task.limits), quanta },
      columnSampler(columns),
    );
    writeTree(context, i * trees.length + k, made);
  }
}

const places = new WeakMap<HistContext, TreePlace[]>();

/** The thread's own place with a member's scores. */
function placeOf(context: HistContext, member: number): TreePlace {
  const { layout, thread } = context;
  let known = places.get(context);
  if (known === undefined) places.set(context, known = []);
  return known[member] ??= createPlace(context, {
    ...layout.alone!.spaces[thread].member!,
    raw: layout.members!.raw[member],
  });
}
