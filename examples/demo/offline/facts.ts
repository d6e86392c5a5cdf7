/** What can be taken from results for the calls to come: rows of lists, files, folders, and which words were found. */

import { basename, join } from 'node:path';
import { asObject, type Step } from './situation.ts';
import { type Terms, termsOf } from './words.ts';

export interface Facts {
  /** Objects of a list, such as the rows of `list_resources`. */
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** The words of everything that was read. Lists tell where something may be, not what it says, so theirs are left out. */
  readonly read: Terms;
}

const PATH = /^(?:\/|[A-Za-z]:\\)[^\s:][^:]*$/;
const ENTRY = /^\[(FILE|DIR)\] (.+)$/;

export function factsOf(steps: readonly Step[]): Facts {
  const good = steps.filter(({ failed }) => !failed);
  const paths = [...new Set(good.flatMap(pathsOf))];
  const isFile = (path: string): boolean => /\.\w+$/.test(basename(path));
  const texts = good.filter((step) => !isList(step)).map((step) => `${placeOf(step)} ${step.text}`);
  return {
    rows: good.flatMap(rowsOf),
    files: paths.filter(isFile),
    folders: paths.filter((path) => !isFile(path)),
    read: termsOf(texts.join('\n')),
  };
}

/** Whether a result only says what there is: rows, or lines of paths. */
export function isList(step: Step): boolean {
  return rowsOf(step).length > 0 || pathsOf(step).length > 0;
}

/** What a call was pointed at, in a few words: the end of a path or URI. */
export function placeOf({ input }: Step): string {
  const places = Object.values(input).filter((value) => typeof value === 'string' && /^\/|^[A-Za-z]:\\|:\/\//.test(value));
  return places.map((place) => basename(String(place))).join(' ');
}

function rowsOf({ text }: Step): Record<string, unknown>[] {
  for (const candidate of [text, ...text.split('\n').slice(0, 1)]) {
    if (!candidate.startsWith('[')) continue;
    try {
      const list: unknown = JSON.parse(candidate);
      if (Array.isArray(list)) return list.map(asObject).filter((row) => Object.keys(row).length > 0);
    } catch {}
  }
  return [];
}

/** Only where nothing but a heading stands beside the paths; a document that mentions one is no list. */
function pathsOf({ text, input }: Step): string[] {
  const folder = typeof input.path === 'string' ? input.path : '';
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const paths = lines.flatMap((line) => {
    const entry = ENTRY.exec(line)?.[2];
    return entry !== undefined ? [join(folder, entry)] : PATH.test(line) ? [line] : [];
  });
  return paths.length >= lines.length - 1 ? paths : [];
}
