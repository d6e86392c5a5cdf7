/** Takes the subjects in turns within one run, so that the machine's mood hits all alike, and prints the ratios to the first. */

export interface Contestant {
  readonly name: string;
  /** One sample: resolves to its measure, lower is better. */
  sample(): Promise<number>;
  /** The most that its ratio to the first may be; the least, where shares are printed. */
  readonly target?: number | undefined;
  /** The most that the figure itself may be. */
  readonly limit?: number | undefined;
}

export interface MeasureOptions {
  readonly title: string;
  readonly rounds: number;
  readonly unit: string;
  /** Prints the part of the first one's throughput that is reached, instead of the multiple of its time. */
  readonly share?: boolean;
}

/** Milliseconds that one contestant may take; then it sits out the rest, and where even the warm-up took longer, that is its figure. */
const PATIENCE = 4_000;

export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

/** Milliseconds of one piece of work. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Many calls, so many at a time; resolves when all are answered. */
export async function lanes(call: () => Promise<unknown>, calls: number, concurrency: number): Promise<void> {
  let left = calls;
  const lane = async (): Promise<void> => {
    while (left-- > 0) await call();
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

interface Entry extends Contestant {
  readonly values: Map<number, number>;
  spent: number;
  failure?: string | undefined;
}

export async function compare(contestants: readonly Contestant[], options: MeasureOptions): Promise<void> {
  const entries: Entry[] = contestants.map((each) => ({ ...each, values: new Map(), spent: 0 }));
  // Round -1 warms up. Each round begins with another one, so that nobody always follows the same neighbour.
  for (let round = -1; round < options.rounds; round++) {
    const shift = (round + 1) % entries.length;
    for (const entry of [...entries.slice(shift), ...entries.slice(0, shift)]) {
      if (entry.failure === undefined && entry.spent < PATIENCE) await take(entry, round);
    }
  }
  const base = entries[0]?.values ?? new Map<number, number>();
  console.log(`\n${options.title}`);
  for (const entry of entries) console.log(`  ${entry.name.padEnd(32)} ${line(entry, base, options)}`);
}

async function take(entry: Entry, round: number): Promise<void> {
  const start = performance.now();
  try {
    const value = await entry.sample();
    if (round >= 0 || performance.now() - start > PATIENCE) entry.values.set(Math.max(round, 0), value);
  } catch (error) {
    entry.failure = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
  }
  entry.spent += performance.now() - start;
}

function line(entry: Entry, base: Entry['values'], { unit, share = false }: MeasureOptions): string {
  const { values, failure, target, limit } = entry;
  if (failure !== undefined) return `cannot: ${failure.slice(0, 120)}`;
  const figure = median([...values.values()]);
  const ratio = median([...values].map(([round, value]) => value / (base.get(round) ?? Number.NaN)));
  const shown = share ? `${(1 / ratio).toFixed(2).padStart(6)} of it` : `${ratio.toFixed(2).padStart(6)} x`;
  const least = share && target !== undefined ? 1 / target : target;
  const few = values.size < 3 ? `  (${values.size} round)` : '';
  return `${figure.toFixed(3).padStart(10)} ${unit} ${shown}${few}${judge(ratio, least, target)}${judge(figure, limit)}`;
}

/** Says whether a target is met; nothing where there is none. */
export function judge(value: number, most: number | undefined, target: number | string | undefined = most): string {
  if (most === undefined) return '';
  return value <= most ? `   target ${target}: met` : `   target ${target}: MISSED`;
}
