/** Says what is wrong with a value by a JSON Schema: leniently, lazily, without generating code and without fetching anything. */

import { dereference, type Schema, type SchemaDraft, validate } from '@cfworker/json-schema';
import type { Issue } from '../issues.ts';
import { toLenientSchema } from './lenient.ts';
import { measureJson } from './measure.ts';
import { LONGEST_MATCHED } from './pattern.ts';
import { readProblems } from './problems.ts';

/** Past these a value is not judged: it would take too long, and the server judges it in any case. */
const LIMITS = { values: 20_000, depth: 100, characters: 1_000_000 };
/** Values past which what grows faster than they do is left out. */
const MANY_VALUES = 1_000;
/** Schemas times values: what one validation may take. */
const MOST_STEPS = 2_000_000;
/** References that one validation follows: a chain of them may double at each. */
const MOST_REFERENCES = 20_000;

/** A schema, made ready to run; `undefined` where it cannot be. */
interface Runnable {
  readonly schema: Schema;
  readonly nodes: number;
  readonly draft: SchemaDraft;
  readonly lookup: Record<string, Schema | boolean>;
  /** Counts again from nothing. */
  readonly restart: () => void;
}

interface Compiled {
  full?: Runnable | undefined;
  light?: Runnable | undefined;
}

/** Schemas are immutable, and each call asks. */
const compiled = new WeakMap<object, Compiled>();

/**
 * What is wrong with the value, in words that never hold a value; empty where it fits, and where that cannot be told: a schema that is no
 * schema, has a reference that leads nowhere, or would take too long. Draft 2020-12, or draft 7 where `$schema` says an older one; `format`
 * is not looked at, and patterns that could stand still are passed over. Never throws.
 *
 * @example
 * ```ts
 * findIssues({ type: 'object', required: ['q'] }, {}); // [{ path: 'q', message: 'is missing' }]
 * ```
 */
export function findIssues(schema: object, value: unknown): readonly Issue[] {
  try {
    const size = measureJson(value, LIMITS);
    if (size === undefined) return [];
    const small = size.values <= MANY_VALUES && size.longest <= LONGEST_MATCHED;
    const runnable = toRunnable(schema, small ? 'full' : 'light');
    if (runnable === undefined || runnable.nodes * size.values > MOST_STEPS) return [];
    runnable.restart();
    const { errors } = validate(value, runnable.schema, runnable.draft, runnable.lookup, !small);
    return errors.length === 0 ? [] : readProblems(errors);
  } catch {
    return [];
  }
}

function toRunnable(schema: object, kind: keyof Compiled): Runnable | undefined {
  let known = compiled.get(schema);
  if (known === undefined) {
    known = {};
    compiled.set(schema, known);
  }
  if (!(kind in known)) {
    known[kind] = undefined;
    known[kind] = compile(schema, kind === 'light');
  }
  return known[kind];
}

function compile(source: object, light: boolean): Runnable {
  const { schema, nodes } = toLenientSchema(source, light);
  let followed = 0;
  const lookup = new Proxy(dereference(schema), {
    get(target, uri) {
      if (++followed > MOST_REFERENCES) throw new Error('too many references to follow');
      return Reflect.get(target, uri);
    },
  });
  const restart = (): void => {
    followed = 0;
  };
  return { schema, nodes, draft: draftOf(source), lookup, restart };
}

/** Up to draft 7 nothing counts beside a `$ref`. */
export function draftOf(schema: object): '7' | '2020-12' {
  const { $schema } = schema as { $schema?: unknown };
  return typeof $schema === 'string' && /draft-0[3-7]/.test($schema) ? '7' : '2020-12';
}
