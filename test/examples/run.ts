/** Runs an example as its own process, and watches every process that it starts. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export interface Run {
  /** Exit code; nothing when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The command lines of all processes below it, as far as they were seen. */
  readonly started: readonly string[];
  /** Those of them that were still there after it had ended. */
  readonly left: readonly string[];
  /** What it left in the folder for temporary files. */
  readonly files: readonly string[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Told of everything that was printed so far; may end the process. */
  readonly onOutput?: (stdout: string, child: ChildProcess) => void;
}

/** Where processes can be listed by reading files. */
export const CAN_WATCH: boolean = existsSync('/proc/self/stat');

// One for all runs, because tsx keeps there what it has compiled.
const temporary = mkdtempSync(join(tmpdir(), 'mcp-tool-set-test-'));
afterAll(() => rmSync(temporary, { recursive: true, force: true }));

export async function run(file: string, args: readonly string[] = [], { env, onOutput }: RunOptions = {}): Promise<Run> {
  const before = new Set(readdirSync(temporary));
  const { OPENAI_API_KEY, OPENAI_MODEL, OPENAI_BASE_URL, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    env: { ...inherited, TMPDIR: temporary, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = new Map<string, string>();
  const watch = setInterval(() => {
    // A process that is ending has no command line any more.
    for (const { key, command } of below(child.pid ?? -1, seen)) seen.set(key, command || (seen.get(key) ?? ''));
  }, 40);
  onTestFinished(() => clearInterval(watch));
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    onOutput?.(stdout, child);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  clearInterval(watch);
  const left = await remaining(seen);
  const files = readdirSync(temporary).filter((name) => !before.has(name) && !name.startsWith('tsx-'));
  return { code, stdout, stderr, started: [...seen.values()], left, files };
}

interface Process {
  readonly pid: number;
  readonly parent: number;
  /** The process id, and when it started: ids are given out again. */
  readonly key: string;
  readonly command: string;
}

/** A process that was just told to end may take a moment. */
async function remaining(seen: ReadonlyMap<string, string>): Promise<string[]> {
  for (let attempt = 0; ; attempt++) {
    const left = processes().filter(({ key }) => seen.has(key));
    if (left.length === 0 || attempt === 40) return left.map(({ command }) => command);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Everything that descends from the process, also from those below it that have ended since. */
function below(pid: number, seen: ReadonlyMap<string, string>): Process[] {
  const all = processes();
  const family = new Set([pid, ...[...seen.keys()].map((key) => Number.parseInt(key, 10))]);
  for (let size = 0; size !== family.size; ) {
    size = family.size;
    for (const each of all) if (family.has(each.parent)) family.add(each.pid);
  }
  return all.filter((each) => each.pid !== pid && family.has(each.pid));
}

function processes(): Process[] {
  if (!CAN_WATCH) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        // The command's name stands in brackets and may hold anything.
        const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        if (fields[0] === 'Z') return [];
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
        return [{ pid: Number(name), parent: Number(fields[1]), key: `${name}:${fields[19]}`, command }];
      } catch {
        return [];
      }
    });
}
