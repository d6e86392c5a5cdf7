/** Whether a regular expression of a server's can be run here without a risk of standing still. */

/** Texts longer than this are not matched against patterns. */
export const LONGEST_MATCHED = 1_000;
const LONGEST_PATTERN = 1_000;
/** Ways through a text of that length that matching may have to try, at the most, as a logarithm. */
const MOST_WAYS = Math.log(1e7);
/** How the groups begin that are more than a bracket. */
const GROUP = /\?(?:[:=!]|<[=!]|<[^>]*>|[a-z-]+:)/y;
const COUNT = /\{(\d+)(,)?(\d+)?\}/y;
/** An escape whose braces are no count. */
const ESCAPE = /\\(?:[pPu]\{[^}]*\}|k<[^>]*>|[\s\S])/y;

/**
 * Whether the pattern compiles and its matching cannot explode: JavaScript has no limit for it, and a server chooses the pattern. The
 * bound is above the truth, so some harmless patterns fail it, such as `(-[a-z]+)*`.
 *
 * @example
 * ```ts
 * isSafePattern('^[a-z]+$'); // true
 * isSafePattern('^(a+)+$'); // false
 * ```
 */
export function isSafePattern(pattern: string): boolean {
  if (pattern.length > LONGEST_PATTERN) return false;
  try {
    new RegExp(pattern, 'u');
    const { ways, alternatives } = new Reader(pattern).alternatives();
    const anchored = pattern.startsWith('^') && alternatives === 1;
    return ways + (anchored ? 0 : Math.log(LONGEST_MATCHED)) <= MOST_WAYS;
  } catch {
    return false;
  }
}

/** Reads a pattern that compiles, counting ways as logarithms: what follows one another adds up. */
class Reader {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  alternatives(): { ways: number; alternatives: number } {
    const each = [this.#sequence()];
    while (this.#take('|')) each.push(this.#sequence());
    if (each.length === 1) return { ways: each[0] ?? 0, alternatives: 1 };
    return { ways: Math.log(each.reduce((sum, ways) => sum + Math.exp(ways), 0)), alternatives: each.length };
  }

  #sequence(): number {
    let ways = 0;
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern.charAt(this.#at)))
      ways += this.#repeated(this.#atom());
    return ways;
  }

  #atom(): number {
    if (this.#take('(')) {
      this.#match(GROUP);
      const { ways } = this.alternatives();
      this.#take(')');
      return ways;
    }
    if (this.#take('[')) {
      while (this.#at < this.#pattern.length && !this.#take(']')) this.#skip();
      return 0;
    }
    this.#skip();
    return 0;
  }

  /** What a quantifier makes of the ways through what it stands behind. */
  #repeated(ways: number): number {
    const { min, max } = this.#quantifier();
    if (max === Number.POSITIVE_INFINITY) return ways > 0 ? Number.POSITIVE_INFINITY : Math.log(LONGEST_MATCHED);
    return Math.log(max - min + 1) + max * ways;
  }

  #quantifier(): { min: number; max: number } {
    const count = this.#match(COUNT);
    const none = { min: 1, max: 1 };
    const read = this.#take('*')
      ? { min: 0, max: Number.POSITIVE_INFINITY }
      : this.#take('+')
        ? { min: 1, max: Number.POSITIVE_INFINITY }
        : this.#take('?')
          ? { min: 0, max: 1 }
          : count === null
            ? none
            : countOf(count);
    if (read !== none) this.#take('?');
    return read;
  }

  #skip(): void {
    if (this.#match(ESCAPE) === null) this.#at++;
  }

  #take(text: string): boolean {
    const there = this.#pattern.startsWith(text, this.#at);
    if (there) this.#at += text.length;
    return there;
  }

  #match(what: RegExp): RegExpExecArray | null {
    what.lastIndex = this.#at;
    const match = what.exec(this.#pattern);
    if (match !== null) this.#at += match[0].length;
    return match;
  }
}

function countOf([, from, comma, to]: RegExpExecArray): { min: number; max: number } {
  const min = Number(from);
  if (comma === undefined) return { min, max: min };
  return { min, max: to === undefined ? Number.POSITIVE_INFINITY : Number(to) };
}
