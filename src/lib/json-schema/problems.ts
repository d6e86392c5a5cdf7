/** What a validator found, in words for a model: where, and what is wanted; never what stood there. */

import type { OutputUnit } from '@cfworker/json-schema';
import { formatPath, type Issue } from '../issues.ts';

/** They only say that something in them is wrong, which is told by itself. */
const CONTAINERS = new Set([
  '$recursiveRef',
  '$ref',
  'additionalItems',
  'additionalProperties',
  'allOf',
  'dependentSchemas',
  'if',
  'items',
  'patternProperties',
  'prefixItems',
  'properties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const UNIONS = new Set(['anyOf', 'oneOf']);
/** Characters of a list of allowed values. */
const LONGEST_LIST = 200;

/** One issue for each cause, in the order in which they were found. */
export function readProblems(errors: readonly OutputUnit[]): readonly Issue[] {
  const issues = new Map<string, Issue>();
  for (const issue of leaves(errors)) issues.set(`${issue.path}\0${issue.message}`, issue);
  return [...issues.values()];
}

function leaves(errors: readonly OutputUnit[]): Issue[] {
  const issues: Issue[] = [];
  for (let index = 0; index < errors.length; index++) {
    const error = errors[index] as OutputUnit;
    const { keyword, keywordLocation } = error;
    if (UNIONS.has(keyword)) {
      const inside = within(errors, index, keywordLocation);
      issues.push(...ofUnion(error, inside));
      index += inside.length;
    } else if (keyword === 'contains' || keyword === 'propertyNames') {
      issues.push(issueOf(error));
      index += within(errors, index, keywordLocation).length;
    } else if (!CONTAINERS.has(keyword)) issues.push(issueOf(error));
  }
  return issues;
}

/** What follows that error and is about a part of its keyword. The validator gives the schema `false` no place of its own. */
function within(errors: readonly OutputUnit[], index: number, location: string): readonly OutputUnit[] {
  let end = index + 1;
  while (errors[end]?.keywordLocation.startsWith(`${location}/`) || errors[end]?.keyword === 'false') end++;
  return errors.slice(index + 1, end);
}

/** One of a union's forms is meant: the only one whose type and constants fit, if there is one. */
function ofUnion({ instanceLocation, keywordLocation, error }: OutputUnit, inside: readonly OutputUnit[]): Issue[] {
  const path = pathOf(instanceLocation);
  if (/\(([2-9]|\d{2,}) matches\)/.test(error))
    return [{ path, message: 'fits more than one of the forms of which it may fit one' }];
  const isMistyped = (each: OutputUnit): boolean => each.keyword === 'type' && each.instanceLocation === instanceLocation;
  const branches = branchesOf(inside, keywordLocation);
  if (branches.length > 0 && branches.every((branch) => branch.some(isMistyped)))
    return [{ path, message: wantedType(inside.filter(isMistyped)) }];
  const meant = branches.filter((branch) => !branch.some((each) => isMistyped(each) || isOtherKind(each, instanceLocation)));
  return meant.length === 1 ? leaves(meant[0] ?? []) : [{ path, message: 'fits none of the forms that it may have' }];
}

function branchesOf(inside: readonly OutputUnit[], keywordLocation: string): OutputUnit[][] {
  const branches = new Map<string, OutputUnit[]>();
  let name = '';
  for (const each of inside) {
    if (each.keyword !== 'false') name = each.keywordLocation.slice(keywordLocation.length + 1).split('/', 1)[0] ?? '';
    branches.set(name, [...(branches.get(name) ?? []), each]);
  }
  return [...branches.values()];
}

/** A constant right in it says which form it is. */
function isOtherKind({ keyword, instanceLocation }: OutputUnit, parent: string): boolean {
  const isConstant = keyword === 'const' || keyword === 'enum';
  return isConstant && (instanceLocation === parent || instanceLocation.slice(0, instanceLocation.lastIndexOf('/')) === parent);
}

function issueOf({ instanceLocation, keyword, error }: OutputUnit): Issue {
  const path = pathOf(instanceLocation);
  switch (keyword) {
    case 'type':
      return { path, message: wantedType([{ error }]) };
    case 'required':
      return { path: pathOf(instanceLocation, quoted(error)), message: 'is missing' };
    case 'false':
      return { path, message: 'is not known here' };
    case 'enum':
    case 'const':
      return {
        path,
        message: `must be ${keyword === 'enum' ? 'one of ' : ''}${cut(error.replace(/^.*?match (any of )?/s, '').replace(/\.$/, ''))}`,
      };
    case 'pattern':
      return { path, message: 'does not match the pattern of its schema' };
    case 'not':
      return { path, message: 'has a form that is not allowed' };
    case 'contains':
      return { path, message: 'has no item of the kind that it must contain' };
    case 'propertyNames':
      return { path, message: 'has a key that is not allowed' };
    case 'dependentRequired':
    case 'dependencies':
      return { path, message: lower(error) };
    default:
      return { path, message: lower(withoutNumber(error)) };
  }
}

/** `Instance type "number" is invalid. Expected "string", "null".` */
function wantedType(errors: readonly Pick<OutputUnit, 'error'>[]): string {
  const wanted = new Set(errors.flatMap(({ error }) => /Expected "(.*)"\.$/s.exec(error)?.[1]?.split('", "') ?? []));
  const given = /^Instance type "(\w+)"/.exec(errors[0]?.error ?? '')?.[1] ?? 'something else';
  return `must be ${[...wanted].join(' or ')}, not ${given}`;
}

/** A limit's message begins with the number that was given. */
function withoutNumber(error: string): string {
  return error.replace(/^\S+ is (less|greater|not)/, 'is $1').replace(/ {2,}/g, ' ');
}

function lower(error: string): string {
  return error
    .replace(/^(Instance |String |Array )?/, '')
    .replace(/\.$/, '')
    .replace(/^./, (first) => first.toLowerCase());
}

function quoted(error: string): string {
  return /"(.*)"\.$/s.exec(error)?.[1] ?? '';
}

function cut(text: string): string {
  return text.length > LONGEST_LIST ? `${text.slice(0, LONGEST_LIST)}…` : text;
}

/** `#/a/b~1c/0` → `a["b/c"][0]` */
function pathOf(pointer: string, more?: string): string {
  const parts = pointer.split('/').slice(1).map(decode);
  if (more !== undefined) parts.push(more);
  return formatPath(parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part)));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
