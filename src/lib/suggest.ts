/** "Did you mean …?" for a misspelled word. */

import { closestMatch } from 'leven';

/** The known word that was probably meant: close in spelling, the same but for case and separators, or part of the other. */
export function suggest(word: string, known: readonly string[]): string | undefined {
  const plain = simplify(word);
  // A long key is no misspelling of a short one, and comparing it would cost its length squared.
  if (plain.length === 0 || plain.length > 40) return undefined;
  const bySpelling = new Map(known.map((candidate) => [simplify(candidate), candidate]));
  const candidates = [...bySpelling.keys()];
  const letters = sorted(plain);
  const found =
    candidates.find((candidate) => candidate === plain || sorted(candidate) === letters) ??
    closestMatch(plain, candidates, { maxDistance: allowance(plain) }) ??
    candidates.find((candidate) => Math.min(candidate.length, plain.length) >= 5 && contains(candidate, plain));
  return found === undefined ? undefined : bySpelling.get(found);
}

/** ` Did you mean "url"?`, or nothing. */
export function didYouMean(word: string, known: readonly string[]): string {
  const meant = suggest(word, known);
  return meant === undefined ? '' : ` Did you mean "${meant}"?`;
}

function simplify(word: string): string {
  return word.toLowerCase().replace(/[-_ ]/g, '');
}

/** Swapped letters are the commonest slip, and Levenshtein counts them as two. */
function sorted(word: string): string {
  return [...word].sort().join('');
}

function allowance(word: string): number {
  if (word.length < 3) return 0;
  return word.length < 5 ? 1 : 2;
}

function contains(one: string, other: string): boolean {
  return one.includes(other) || other.includes(one);
}
