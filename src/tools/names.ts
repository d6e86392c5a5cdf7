/** Names that every provider accepts, and that no two tools share. */

import { shortHash } from '../lib/hash.ts';

const MAX_LENGTH = 64;
const SAFE = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
/** Rounds of hashing before tools that still meet are told apart by their place in sorted order. */
const HASHED_ROUNDS = 8;

/** A tool that wants a name. `server` and `originalName` together are its identity. */
export interface NameRequest {
  readonly server: string;
  readonly originalName: string;
  readonly wanted: string;
}

/** A request on its way to a name. */
interface Candidate {
  readonly index: number;
  readonly key: string;
  readonly wanted: string;
  readonly base: string;
}

/**
 * The nearest name that matches `[A-Za-z_][A-Za-z0-9_-]{0,63}`. A safe name comes back as it is. Accents go and other characters
 * become `_`; where letters were lost or the end was cut, a hash of the whole stands for them.
 *
 * @example
 * ```ts
 * safeName('a.b/c'); // 'a_b_c'
 * ```
 */
export function safeName(raw: string): string {
  if (SAFE.test(raw)) return raw;
  const folded = raw.normalize('NFKD').replace(/\p{M}/gu, '');
  const ascii = folded.replace(/[\u0080-\u{10FFFF}]+/gu, '_').replace(/[^A-Za-z0-9_-]/g, '_');
  const name = /^[A-Za-z_]/.test(ascii) ? ascii : `_${ascii}`;
  const lossy = raw === '' || name.length > MAX_LENGTH || losesLetters(folded);
  return lossy ? withHash(name, shortHash(raw)) : name;
}

/**
 * One name for each tool, in the order of the tools: safe, never the same twice, and for each tool the same whatever the order is.
 * A tool whose wanted name is safe keeps it unless another one wants exactly that too; the others that would meet get a hash of
 * their server and original name. `reserved` names are given to nobody.
 *
 * @example
 * ```ts
 * assignNames([{ server: 'a', originalName: 'find', wanted: 'a_find' }]); // ['a_find']
 * ```
 */
export function assignNames(tools: readonly NameRequest[], reserved: readonly string[] = []): string[] {
  const taken = new Set(reserved);
  const plain = tools.map(({ wanted }) => safeName(wanted));
  // Nobody meets anybody nearly always.
  if (new Set([...plain, ...taken]).size === plain.length + taken.size) return plain;
  const names: string[] = new Array<string>(tools.length).fill('');
  let unnamed: Candidate[] = tools.map(({ server, originalName, wanted }, index) => {
    return { index, key: `${server}\0${originalName}`, wanted, base: plain[index] ?? safeName(wanted) };
  });
  for (let round = 0; unnamed.length > 0; round++) {
    const groups = groupByName(unnamed, round);
    unnamed = [];
    for (const [name, group] of groups) {
      const winner = taken.has(name) ? undefined : winnerOf(group, round);
      if (winner !== undefined) {
        names[winner.index] = name;
        taken.add(name);
      }
      for (const loser of group) if (loser !== winner) unnamed.push(loser);
    }
  }
  return names;
}

/** Who asks for which name. In the first round it is the plain one, then one with a hash, each round another. */
function groupByName(unnamed: readonly Candidate[], round: number): Map<string, Candidate[]> {
  const sorted = round < HASHED_ROUNDS ? unnamed : [...unnamed].sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const groups = new Map<string, Candidate[]>();
  sorted.forEach((candidate, place) => {
    // In front, because two texts that meet in this hash go on to meet with whatever follows them.
    const salt = round < HASHED_ROUNDS ? (round === 1 ? '' : `${round}\0`) : `${round}\0${place}\0`;
    const name = round === 0 ? candidate.base : withHash(candidate.base, shortHash(salt + candidate.key));
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [candidate]);
    else group.push(candidate);
  });
  return groups;
}

/** Who may have the name: the only one to ask, or the only one that is really called so. */
function winnerOf(group: readonly Candidate[], round: number): Candidate | undefined {
  if (group.length === 1) return group[0];
  if (round > 0) return undefined;
  const exact = group.filter((candidate) => candidate.wanted === candidate.base);
  return exact.length === 1 ? exact[0] : undefined;
}

function losesLetters(folded: string): boolean {
  return /[\p{L}\p{N}\p{So}]/u.test(folded.replace(/[A-Za-z0-9_-]/g, ''));
}

function withHash(name: string, hash: string): string {
  return `${name.slice(0, MAX_LENGTH - 1 - hash.length).replace(/_+$/, '')}_${hash}`;
}
