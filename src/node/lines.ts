/** Cuts a stream of bytes into lines, in time linear in the bytes, however they are chunked. */

export interface LineOptions {
  /** The longest line in bytes. */
  readonly max: number;
  onLine(line: string): void;
  /** A line has more bytes than `max`, and the rest of it is dropped. Absent: it is cut into several lines. */
  readonly onTooLong?: (() => void) | undefined;
}

const NEWLINE = 0x0a;
const KEPT = 64 * 1024;

/**
 * A newline byte is never part of another UTF-8 character, so bytes are cut first and decoded line by line: a character that arrives
 * in two chunks stays whole.
 */
export class LineReader {
  readonly #options: LineOptions;
  // Grows by doubling, so that a line that comes one byte at a time costs no object per byte.
  #pending: Buffer = Buffer.allocUnsafe(1024);
  #length = 0;

  constructor(options: LineOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end));
      this.flush();
      from = end + 1;
    }
    this.#take(chunk.subarray(from));
  }

  /** Takes what there is as a line: at the end of the stream. */
  flush(): void {
    const line = this.#pending.toString('utf8', 0, this.#length);
    this.#length = 0;
    if (this.#pending.length > KEPT) this.#pending = Buffer.allocUnsafe(1024);
    if (line !== '') this.#options.onLine(line);
  }

  #take(bytes: Buffer): void {
    const { max, onTooLong } = this.#options;
    let rest = bytes;
    while (this.#length + rest.length > max) {
      if (onTooLong !== undefined) {
        this.#length = 0;
        onTooLong();
        return;
      }
      const room = max - this.#length;
      this.#append(rest.subarray(0, room));
      this.flush();
      rest = rest.subarray(room);
    }
    this.#append(rest);
  }

  #append(bytes: Buffer): void {
    const length = this.#length + bytes.length;
    if (length > this.#pending.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, this.#pending.length * 2));
      this.#pending.copy(grown, 0, 0, this.#length);
      this.#pending = grown;
    }
    bytes.copy(this.#pending, this.#length);
    this.#length = length;
  }
}
