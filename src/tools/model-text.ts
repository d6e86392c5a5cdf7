/** What servers say of their tools, as a model may read it: nothing hidden in it, and not without end. */

import { type InvisibleChoice, stripInvisible } from '../lib/content/invisible.ts';
import { isRecord } from '../lib/content/json.ts';
import type { JsonSchema, ToolDefinition } from '../types.ts';
import { isSimpleSchema } from './schema/simple.ts';
import { mapChildren, type SchemaRecord, withChanges } from './schema/walk.ts';

export interface TextOptions {
  readonly invisible?: InvisibleChoice | undefined;
  readonly maxDescriptionLength?: number | undefined;
}

export interface ModelText {
  readonly tool: ToolDefinition;
  readonly schema: JsonSchema;
  /** Whether something was hidden in it. */
  readonly stripped: boolean;
  /** Whether its description was too long. */
  readonly shortened: boolean;
}

const MARK = ' … [cut]';

/** The same objects where nothing has to be changed. */
export function toModelText(
  tool: ToolDefinition,
  schema: JsonSchema,
  { invisible = 'auto', maxDescriptionLength }: TextOptions,
): ModelText {
  const clean = invisible === 'keep' ? (text: string): string => text : stripInvisible;
  const { title, description } = tool;
  const said = { title: title && clean(title), description: description && clean(description) };
  const cleanSchema = invisible === 'keep' || isSimpleSchema(schema) ? schema : (stripTexts(schema) as JsonSchema);
  const short = said.description && shorten(said.description, maxDescriptionLength);
  const stripped = said.title !== title || said.description !== description || cleanSchema !== schema;
  const shortened = short !== said.description;
  if (!stripped && !shortened) return { tool, schema, stripped, shortened };
  const changed = {
    ...tool,
    ...(title !== undefined && { title: said.title }),
    ...(description !== undefined && { description: short }),
  };
  return { tool: Object.freeze(changed), schema: cleanSchema, stripped, shortened };
}

/** Titles and descriptions of a schema and all in it; values that arguments may have are not touched. */
function stripTexts(schema: unknown): unknown {
  if (!isRecord(schema)) return schema;
  const inner: SchemaRecord = mapChildren(schema, stripTexts);
  const changes = new Map<string, string>();
  for (const key of ['title', 'description']) {
    const text = inner[key];
    if (typeof text !== 'string') continue;
    const clean = stripInvisible(text);
    if (clean !== text) changes.set(key, clean);
  }
  return changes.size === 0 ? inner : withChanges(inner, changes);
}

/** At most so many characters (UTF-16 units), the mark included; no half of one is left. */
function shorten(text: string, most: number | undefined): string {
  if (most === undefined || text.length <= most) return text;
  return text.slice(0, Math.max(0, most - MARK.length)).replace(/[\ud800-\udbff]$/, '') + MARK.slice(0, most);
}
