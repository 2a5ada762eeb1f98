// deno-lint-ignore-file no-console
/**
 * Times processes from their start to the first byte that they write: what a process does afterwards to end
 * is no part of its start.
 *
 * @module
 */

/** A process to be timed. */
export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
}

/**
 * Rounds as an argument says; ends the process where it says none.
 *
 * @param usual Where there is no argument.
 */
export function roundsOf(argument: string | undefined, usual: number): number {
  const rounds = Number(argument ?? usual);
  if (Number.isInteger(rounds) && rounds > 0) return rounds;
  console.error(`Cannot run ${JSON.stringify(argument)} rounds: expected a whole number from 1`);
  Deno.exit(2);
}

/**
 * Runs programs in rounds in which all take their turn, after two that do not count, and prints a table.
 *
 * @param title What is measured.
 * @param programs The first is what the others are compared with.
 */
export async function timeFirstBytes(
  title: string,
  rounds: number,
  programs: readonly Program[],
): Promise<void> {
  const times = programs.map((): number[] => []);
  for (let i = -2; i < rounds; i++) {
    for (const [k, program] of programs.entries()) {
      const time = await firstByte(program);
      if (i >= 0) times[k].push(time);
    }
  }
  const median = (values: readonly number[]) =>
    values.toSorted((a, b) => a - b)[values.length >> 1];
  console.log(`${title}, ${rounds} rounds, milliseconds`);
  console.log("| program | median | more than the first: median of rounds | fastest runs |");
  console.log("| --- | --- | --- | --- |");
  programs.forEach(({ name }, k) => {
    const more = times[k].map((time, i) => time - times[0][i]);
    const fastest = Math.min(...times[k]) - Math.min(...times[0]);
    console.log(
      `| ${name} | ${median(times[k]).toFixed(1)} | ${median(more).toFixed(1)} | ${
        fastest.toFixed(1)
      } |`,
    );
  });
}

async function firstByte({ name, command, args }: Program): Promise<number> {
  const start = performance.now();
  const child = new Deno.Command(command, {
    args: [...args],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  const took = performance.now() - start;
  if (value === undefined) throw new Error(`"${name}" failed`);
  await reader.cancel();
  await child.status;
  return took;
}
