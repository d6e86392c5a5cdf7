/** Fills the arguments of a tool from its schema, the question and what is known by now. */

import { basename } from 'node:path';
import type { Facts } from './facts.ts';
import { asObject, type Property, type Tool } from './situation.ts';
import { common, type Terms, termsOf } from './words.ts';

/** One way to call a tool. */
export interface Filling {
  readonly input: Readonly<Record<string, unknown>>;
  /** What stands in the arguments that speaks for the call. */
  readonly terms: Terms;
  /** `asked`: taken from the question as it is; `found`: in a result; `search`: a word to look for. */
  readonly source: Source;
}

type Source = 'none' | 'search' | 'found' | 'asked';

interface Choice {
  readonly value: unknown;
  readonly terms: Terms;
  readonly source: Source;
}

export interface Knowledge extends Facts {
  readonly question: string;
  /** Words of the question that nothing has answered yet. */
  readonly open: Terms;
}

const NOTHING: Terms = new Map();
const MOST = 20;
const SEARCH = /query|search|keyword|term|topic/i;

/** Every way to fill the required arguments, of the optional ones what a row tells; none where a required one cannot be filled. */
export function fillingsOf(tool: Tool, known: Knowledge): Filling[] {
  const { required } = tool;
  const rows = known.rows.filter((row) => required.length > 0 && required.every((key) => typeof row[key] === 'string'));
  const templates = templatesFor(tool, known);
  if (rows.length + templates.length > 0) {
    const found = rows.map(
      (row): Filling => ({
        input: Object.fromEntries(
          Object.keys(tool.properties).flatMap((key) => (typeof row[key] === 'string' ? [[key, row[key]]] : [])),
        ),
        terms: termsOf(Object.values(row).join(' ')),
        source: 'found',
      }),
    );
    return [...found, ...templates];
  }
  const numbers = known.question.match(/-?\d+(?:\.\d+)?/g) ?? [];
  if (required.length === 0) return [{ input: {}, terms: NOTHING, source: 'none' }, ...searchesOf(tool, known)];
  let fillings: Filling[] = [{ input: {}, terms: NOTHING, source: 'none' }];
  for (const key of required) {
    const choices = choicesOf(tool, key, tool.properties[key] ?? {}, known, numbers);
    fillings = fillings.flatMap((filling) => choices.slice(0, MOST).map((choice) => extend(filling, key, choice))).slice(0, MOST);
  }
  return fillings;
}

/** Rows of templates, where the question has one of the values that are suggested for each variable. */
function templatesFor({ properties, required }: Tool, { rows, question }: Knowledge): Filling[] {
  if (properties.variables === undefined || !required.includes('uri')) return [];
  const asked = termsOf(question);
  return rows.flatMap(({ mcpServer, uriTemplate, variables, ...row }): Filling[] => {
    if (typeof uriTemplate !== 'string') return [];
    const values = Object.entries(asObject(variables)).map(([name, suggested]) => {
      const fits = (value: unknown): boolean =>
        termsOf(String(value)).size > 0 && common(termsOf(String(value)), asked).length > 0;
      return [name, (Array.isArray(suggested) ? suggested : []).find(fits)] as const;
    });
    if (values.length === 0 || values.some(([, value]) => value === undefined)) return [];
    const input = { mcpServer, uri: uriTemplate, variables: Object.fromEntries(values) };
    return [
      { input, terms: termsOf(`${Object.values(row).join(' ')} ${values.map(([, value]) => value).join(' ')}`), source: 'found' },
    ];
  });
}

/** What needs no arguments may still be told what to look for. */
function searchesOf({ properties }: Tool, { open }: Knowledge): Filling[] {
  const key = Object.keys(properties).find((each) => SEARCH.test(each));
  return key === undefined || open.size === 0
    ? []
    : [{ input: { [key]: [...open.values()].join(' ') }, terms: open, source: 'search' }];
}

function extend({ input, terms, source }: Filling, key: string, choice: Choice): Filling {
  return {
    input: { ...input, [key]: choice.value },
    terms: new Map([...terms, ...choice.terms]),
    source: choice.source === 'none' ? source : choice.source,
  };
}

function choicesOf(tool: Tool, key: string, property: Property, known: Knowledge, numbers: string[]): Choice[] {
  const asked = termsOf(known.question);
  if (property.enum !== undefined) {
    return property.enum
      .map((value): Choice => ({ value, terms: termsOf(String(value)), source: 'asked' }))
      .filter(({ terms }) => terms.size > 0 && common(terms, asked).length === terms.size);
  }
  if (property.type === 'number' || property.type === 'integer') {
    const next = numbers.shift();
    return next === undefined ? [] : [{ value: Number(next), terms: NOTHING, source: 'asked' }];
  }
  if (property.type === 'array' && property.items !== undefined) {
    return choicesOf(tool, key, property.items, known, numbers).map((choice) => ({ ...choice, value: [choice.value] }));
  }
  return property.type === 'string' ? textsFor(tool, key, known) : [];
}

/** By what the argument is called: a place, something to look for, or else what the question has in quotation marks. */
function textsFor(tool: Tool, key: string, { files, folders, open, question }: Knowledge): Choice[] {
  if (/path|file|folder|director/i.test(key)) {
    if (/list|search|tree|directory|find/i.test(tool.name)) {
      return folders.map((value) => ({ value, terms: NOTHING, source: 'none' }));
    }
    const named = question.match(/(?<=\s|^)(?:\/|[A-Za-z]:\\)[^\s?!,;]+/g) ?? [];
    return [...named, ...files].map((value) => ({ value, terms: termsOf(basename(value)), source: 'found' }));
  }
  if (/pattern|glob/i.test(key) && open.size > 0) {
    const words = [...open.values()].map(singular);
    return [{ value: `**/*${words.length > 1 ? `{${words.join(',')}}` : words[0]}*`, terms: open, source: 'search' }];
  }
  if (SEARCH.test(key)) {
    return [...open].map((each) => ({ value: singular(each[1]), terms: new Map([each]), source: 'search' }));
  }
  const quoted = [...question.matchAll(/["“]([^"”]+)["”]/g)].map(([, text]) => text ?? '');
  return quoted.map((value) => ({ value, terms: NOTHING, source: 'asked' }));
}

function singular(word: string): string {
  return word.toLowerCase().replace(/(?<=\w{3}[^s])s$/, '');
}
