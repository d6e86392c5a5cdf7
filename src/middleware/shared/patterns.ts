/** Which tools an option means: globs on `server/tool`, with the tool's own name. */

import { matchesGlob } from '../../lib/glob.ts';
import type { ToolDefinition } from '../../types.ts';
import { listOf, type Rule } from './options.ts';

const PHRASE = 'patterns of the form server/tool, such as "files/read_*" or "*/delete_*"';

export const PATTERNS: Rule = listOf(PHRASE, (text) => text.includes('/'));

export const SERVERS: Rule = listOf('server keys or globs', () => true);

/** An object whose keys are patterns and whose values pass. */
export function byPattern(phrase: string, test: (value: unknown) => boolean): Rule {
  return {
    phrase: `an object from ${PHRASE} to ${phrase}`,
    test: (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(([pattern, each]) => pattern.includes('/') && test(each)),
  };
}

/** Both halves have to match, so that `*` never reaches over from the server into the tool's name. Either may hold slashes of its own. */
export function matchesTool({ server, originalName }: Pick<ToolDefinition, 'server' | 'originalName'>, pattern: string): boolean {
  for (let slash = pattern.indexOf('/'); slash >= 0; slash = pattern.indexOf('/', slash + 1)) {
    if (matchesGlob(server, pattern.slice(0, slash)) && matchesGlob(originalName, pattern.slice(slash + 1))) return true;
  }
  return false;
}
