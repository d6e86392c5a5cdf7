/** What of a result can be cut, in whatever shape it comes: a server's result, or the output of a tool that is not a server's. */

import { describeFile, type Piece } from '../../lib/content/blocks.ts';
import { isRecord } from '../../lib/content/json.ts';
import { readResult } from '../../lib/content/result-pieces.ts';
import type { CallToolResult } from '../../types.ts';
import { canonicalJson } from '../shared/canonical.ts';
import { closeGap, type Gap, readScript } from './cut.ts';

export interface Material {
  readonly text: string;
  /** What the model reads besides, of files, which is never cut. */
  readonly beside: string;
  /** Whether a model may read it as JSON, where quotes and line breaks take more room. */
  readonly escaped: boolean;
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
    return { text: foreign, beside: '', escaped: false, close };
  }
  if (isResult(foreign)) {
    const inner = ofResult(foreign);
    return { ...inner, escaped: true, close: (...args) => ({ ...result, foreign: inner.close(...args) }) };
  }
  // Anything else may hold what only the tool's own `toModelOutput` understands: bytes, say.
  if (canonicalJson(foreign) === undefined) return undefined;
  return ofResult({ content: [], structuredContent: foreign });
}

function ofResult(result: CallToolResult): Material {
  const pieces = readResult(result);
  const script = readScript(pieces.map(result.isError === true ? inError : inResult));
  return {
    text: script.text,
    beside: script.beside,
    escaped: false,
    close(gap, notice, facts) {
      const { structuredContent, _meta, ...rest } = result;
      const before = isRecord(_meta) ? _meta : {};
      // Where another limit was at it first, its handle leads to what it left out.
      const inner = isRecord(before[META_KEY]) ? { inner: before[META_KEY] } : {};
      return { ...rest, content: closeGap(script, gap, notice), _meta: { ...before, [META_KEY]: { ...facts, ...inner } } };
    },
  };
}

/** An error is text alone. */
function inError(piece: Piece): string {
  return typeof piece === 'string' ? piece : describeFile(piece);
}

/** Pictures, sounds and PDFs stay files. Of another file there is a line that may be as long as a URI, and is cut like any text. */
function inResult(piece: Piece): Piece {
  return typeof piece !== 'string' && piece.label !== undefined ? describeFile(piece) : piece;
}

function around(text: string, { from, to }: Gap, notice: string): string {
  return text.slice(0, from) + notice + text.slice(to);
}

function isResult(value: unknown): value is CallToolResult {
  if (!isRecord(value) || !Array.isArray(value.content)) return false;
  return value.content.length > 0 && value.content.every((block) => isRecord(block) && typeof block.type === 'string');
}
