/** What of a result can be cut, in whatever shape it comes: a server's result, or the output of a tool that is not a server's. */

import type { CallToolResult } from '../../types.ts';
import { canonicalJson } from '../shared/canonical.ts';
import { closeGap, type Gap, readScript } from './cut.ts';

export interface Material {
  readonly text: string;
  /** The result with the notice in place of the gap. `facts` are for the application. */
  close(gap: Gap, notice: string, facts: object): CallToolResult;
}

const META_KEY = 'mcp-tool-set/limitOutput';

/** Nothing where there is no text. */
export function readMaterial(result: CallToolResult): Material | undefined {
  if (!isRecord(result)) return undefined;
  if (!('foreign' in result)) return ofResult(result);
  const { foreign } = result;
  if (typeof foreign === 'string') {
    const close: Material['close'] = (gap, notice) => ({ ...result, foreign: around(foreign, gap, notice) });
    return { text: foreign, close };
  }
  if (isResult(foreign)) {
    const inner = ofResult(foreign);
    return { text: inner.text, close: (...args) => ({ ...result, foreign: inner.close(...args) }) };
  }
  // Anything else may hold what only the tool's own `toModelOutput` understands: bytes, say.
  if (canonicalJson(foreign) === undefined) return undefined;
  return ofResult({ content: [], structuredContent: foreign });
}

function ofResult(result: CallToolResult): Material {
  const script = readScript(result);
  return {
    text: script.text,
    close(gap, notice, facts) {
      const { structuredContent, _meta, ...rest } = result;
      return { ...rest, content: closeGap(script, gap, notice), _meta: { ...(isRecord(_meta) && _meta), [META_KEY]: facts } };
    },
  };
}

function around(text: string, { from, to }: Gap, notice: string): string {
  return text.slice(0, from) + notice + text.slice(to);
}

function isResult(value: unknown): value is CallToolResult {
  if (!isRecord(value) || !Array.isArray(value.content)) return false;
  return value.content.length > 0 && value.content.every((block) => isRecord(block) && typeof block.type === 'string');
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
