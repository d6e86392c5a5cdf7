/** Writes the answer: what the results say about the question, quoted, and what remains open. */

import { isList, placeOf } from './facts.ts';
import { knowledgeOf } from './plan.ts';
import type { Situation, Step } from './situation.ts';
import { common, termsOf, weigher } from './words.ts';

const LINES_EACH = 3;
const LINE_LENGTH = 240;

export function writeAnswer(situation: Situation): string {
  const { steps, tools } = situation;
  if (tools.length === 0) return 'I was given no tools, so there is nothing that I could look up.';
  const quotes = steps.filter((step) => !step.failed && !isList(step)).flatMap((step) => quote(step, situation.question));
  const open = [...knowledgeOf(situation).open.values()];
  const failed = steps.filter((step) => step.failed);
  return [
    quotes.length > 0 ? 'This is what the servers say:' : 'Nothing that I found answers this.',
    ...quotes,
    ...failed.map(({ tool, text }) => `- ${tool} failed: ${cut(text.replace(/^\w*Error: /, '').split('\n')[0] ?? '')}`),
    ...(open.length > 0 && quotes.length > 0 ? [`I found nothing about: ${open.join(', ')}.`] : []),
  ].join('\n');
}

/** The lines of a result that have most of the question's words, in their order; a short result as a whole. */
function quote(step: Step, question: string): string[] {
  const asked = termsOf(question);
  const lines = linesOf(step.text).map((line, index) => ({ line, index, terms: termsOf(line) }));
  const weigh = weigher(lines.map(({ terms }) => terms));
  const scored = lines
    .map((each) => ({ ...each, score: weigh(common(each.terms, asked)) }))
    .filter(({ score }) => score > 0 || lines.length === 1)
    .sort((a, b) => b.score - a.score)
    .slice(0, LINES_EACH)
    .sort((a, b) => a.index - b.index);
  if (scored.length === 0) return [];
  const place = placeOf(step);
  const heading = place === '' ? `${step.tool} ${JSON.stringify(step.input)}` : `${place} (${step.tool})`;
  return [`- ${heading}:`, ...scored.map(({ line }) => `    ${cut(line)}`)];
}

/** JSON as one line for each object, anything else by its own lines; those that only say that there is nothing are left out. */
function linesOf(text: string): string[] {
  let lines = text.split('\n');
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) lines = objectsIn(value).map(describe);
  } catch {}
  return lines.filter((line) => line.trim() !== '' && !/^no (?:match|result|entr)/i.test(line.trim()));
}

/** The innermost objects: those that hold no others. */
function objectsIn(value: object): object[] {
  const inner = Object.values(value).flatMap((each: unknown) =>
    typeof each === 'object' && each !== null && !(Array.isArray(each) && each.every((item) => typeof item !== 'object'))
      ? objectsIn(each)
      : [],
  );
  const isLeaf = inner.length === 0 && !Array.isArray(value) && Object.keys(value).length > 0;
  return isLeaf ? [value] : inner;
}

function describe(value: object): string {
  return Object.entries(value)
    .map(([key, each]) => [key, Array.isArray(each) ? each.join('; ') : String(each)] as const)
    .filter(([key, text]) => key !== 'type' && text !== '')
    .map(([key, text]) => `${key}: ${text}`)
    .join(', ');
}

function cut(line: string): string {
  const text = line.trim();
  return text.length > LINE_LENGTH ? `${text.slice(0, LINE_LENGTH)}…` : text;
}
