/** A tool as hashes, one for each thing that its server says of it: equal exactly where nothing of it has changed. */

import type { ToolDefinition } from '../../types.ts';
import { canonicalJson } from '../shared/canonical.ts';
import { offeredOf } from './offered.ts';

/** SHA-256 in base64url, by field. A field that is not there has none. */
export type Fingerprint = ReadonlyMap<string, string>;

const FIELDS = ['title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const;

interface Taken {
  readonly instructions: string | undefined;
  readonly fingerprint: Promise<Fingerprint | undefined>;
}

/** Definitions are immutable, and each call asks. */
const taken = new WeakMap<ToolDefinition, Taken>();

/** Of what its server says now; nothing where that is not known, or is no JSON. */
export async function fingerprintOf(tool: ToolDefinition): Promise<Fingerprint | undefined> {
  const { definition, instructions } = offeredOf(tool) ?? { definition: tool };
  if (definition === undefined) return undefined;
  let known = taken.get(definition);
  if (known === undefined || known.instructions !== instructions) {
    known = { instructions, fingerprint: hashFields(definition, instructions) };
    taken.set(definition, known);
  }
  return known.fingerprint;
}

async function hashFields(definition: ToolDefinition, instructions: string | undefined): Promise<Fingerprint | undefined> {
  const values: [field: string, value: unknown][] = FIELDS.map((field) => [field, definition[field]]);
  values.push(['instructions', instructions]);
  const fields = new Map<string, string>();
  for (const [field, value] of values) {
    if (value === undefined) continue;
    const text = canonicalJson(value);
    if (text === undefined) return undefined;
    fields.set(field, await sha256(text));
  }
  return fields;
}

const shown = new WeakMap<ToolDefinition, Promise<readonly string[]>>();

/**
 * What the AI SDK's `fingerprintTools` makes of the tool as the model sees it: with its title, and without, because whether a tool of a
 * record has one differs between versions.
 */
export function aiFingerprints(tool: ToolDefinition): Promise<readonly string[]> {
  let known = shown.get(tool);
  if (known === undefined) {
    known = hashForAi(tool);
    shown.set(tool, known);
  }
  return known;
}

async function hashForAi({ title, description, inputSchema }: ToolDefinition): Promise<readonly string[]> {
  const schema = canonicalJson(inputSchema);
  if (schema === undefined) return [];
  const said = canonicalJson(description === undefined ? { type: 'none' } : { type: 'string', value: description });
  const titles = [undefined, ...(title === undefined ? [] : [JSON.stringify(title)])];
  // Their text has the word `undefined` for a title that is not there.
  return Promise.all(titles.map((text) => sha256(`{"description":${said},"inputSchema":${schema},"title":${text}}`)));
}

async function sha256(text: string): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return btoa(String.fromCharCode(...hash))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace('=', '');
}
