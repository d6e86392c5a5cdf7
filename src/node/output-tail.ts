/** The last lines that a child process wrote, with secrets taken out: what an error shows of them. */

import { spellings } from '../lib/spellings.ts';
import { LineReader } from './lines.ts';

const MAX_LINES = 20;
const MAX_BYTES = 4 * 1024;
const SHORTEST_SECRET = 6;
const LONGEST_LINE = 64 * 1024;

export class OutputTail {
  readonly #secrets: readonly string[];
  readonly #reader: LineReader;
  #lines: string[] = [];
  #bytes = 0;

  /**
   * `secrets` are values; those too short to be secrets are left alone, or half of the text would go. `onLine` gets each line of
   * stderr as it is.
   */
  constructor(secrets: readonly string[], onLine?: (line: string) => void) {
    this.#secrets = secrets
      .flatMap((secret) => [secret, ...secret.split('\n')])
      .map((secret) => secret.trim())
      .filter((secret) => secret.length >= SHORTEST_SECRET)
      .flatMap(spellings)
      .sort((one, other) => other.length - one.length);
    this.#reader = new LineReader({
      max: LONGEST_LINE,
      onLine: (line) => {
        this.push(line);
        tell(onLine, line);
      },
    });
  }

  /** Takes a piece of stderr. */
  write(chunk: Buffer): void {
    this.#reader.push(chunk);
  }

  /** Takes what came after the last line break. */
  flush(): void {
    this.#reader.flush();
  }

  /** Takes a line of other origin. */
  push(line: string): void {
    const text = cut(this.redact(line));
    this.#lines.push(text);
    this.#bytes += Buffer.byteLength(text) + 1;
    while (this.#lines.length > MAX_LINES || this.#bytes > MAX_BYTES)
      this.#bytes -= Buffer.byteLength(this.#lines.shift() ?? '') + 1;
  }

  /** The text with every secret replaced by `***`. */
  redact(text: string): string {
    return this.#secrets.reduce((result, secret) => result.replaceAll(secret, '***'), text);
  }

  toString(): string {
    return this.#lines.join('\n').trim();
  }
}

function cut(line: string): string {
  const text = line.trimEnd();
  return text.length > MAX_BYTES / 4 ? `${text.slice(0, MAX_BYTES / 4)}…` : text;
}

/** Tells something to a user's listener, whose fault is not the connection's. */
export function tell<T>(listener: ((value: T) => unknown) | undefined, value: T): void {
  try {
    const result = listener?.(value);
    if (result instanceof Promise) result.catch(() => {});
  } catch {}
}
