/** Chooses the next call: the one that promises most for the words of the question that nothing has answered yet. */

import { type Filling, fillingsOf, type Knowledge } from './arguments.ts';
import { factsOf } from './facts.ts';
import type { Situation, Step, Tool } from './situation.ts';
import { common, type Terms, termsOf, weigher } from './words.ts';

export interface Plan {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const MOST_CALLS = 9;
/** Promises below this are not worth a call; one telling word of the question is worth 1. */
const THRESHOLD = 0.4;
/** What each earlier answer of the same tool takes from its promise. */
const REPETITION = 0.4;

/** Nothing, when everything is answered, nothing promises enough, or it has been enough. */
export function nextCall(situation: Situation): Plan | undefined {
  const { tools, steps } = situation;
  const known = knowledgeOf(situation);
  if (steps.length >= MOST_CALLS || (steps.length > 0 && known.open.size === 0)) return undefined;
  const rows = known.rows.map((row) => termsOf(Object.values(row).join(' ')));
  const weigh = weigher([...tools.map(wordsOf), ...rows]);
  let best: (Plan & { score: number }) | undefined;
  for (const tool of tools) {
    for (const filling of fillingsOf(tool, known)) {
      if (isFutile(tool, filling, steps) || (filling.source === 'search' && isOverview(tool) && !isPartial(tool, steps)))
        continue;
      const score =
        promise(tool, filling, known, weigh) -
        REPETITION * steps.filter((step) => step.tool === tool.name && !step.failed).length;
      const first = steps.length === 0 && isOverview(tool) && wordsOf(tool).has(RESOURCE) ? 100 : 0;
      if (score + first > (best?.score ?? THRESHOLD)) best = { tool: tool.name, input: filling.input, score: score + first };
    }
  }
  return best;
}

/** What is known by now, and what of the question is still open. */
export function knowledgeOf({ question, steps }: Situation): Knowledge {
  const facts = factsOf(steps);
  const open = [...termsOf(question)].filter(([term]) => !facts.read.has(term) && !/^\d+$/.test(term));
  return { ...facts, question, open: new Map(open) };
}

const [RESOURCE = ''] = termsOf('resource').keys();

/** Tells what there is without being told anything. */
function isOverview({ name, required }: Tool): boolean {
  return required.length === 0 && /(?:^|_)list/.test(name);
}

/** Has told of a part of what there is, and no search in it has been made. */
function isPartial({ name }: Tool, steps: readonly Step[]): boolean {
  const own = steps.filter(({ tool }) => tool === name);
  return own.some(({ text }) => /"?(?:next)?cursor"?/i.test(text)) && own.every(({ input }) => Object.keys(input).length === 0);
}

function promise(tool: Tool, { terms, source }: Filling, known: Knowledge, weigh: (terms: Iterable<string>) => number): number {
  const words = wordsOf(tool);
  const fits = weigh(common(words, known.open));
  const asked = weigh(common(terms, source === 'asked' ? termsOf(known.question) : known.open));
  // Of a list that is too long to see, what fits is worth more than what happens to stand first.
  if (source === 'search' && isOverview(tool)) return 100;
  // What says where to look is worth it as long as nobody knows.
  if (isOverview(tool)) return known.folders.length === 0 && !words.has(RESOURCE) ? 1.2 : 0;
  // One hit is all that a search promises, whatever it looks for.
  if (source === 'search') return fits + asked / terms.size;
  if (source === 'found') return asked === 0 ? 0 : fits + 2 * asked + liking(tool);
  return fits + 2 * asked + (source === 'asked' && fits + asked > 0 ? 0.6 : 0);
}

/** Of several tools that take the same thing, the one that reads it out as text. */
function liking({ name, description }: Tool): number {
  if (/deprecated/i.test(description)) return -0.3;
  return 0.3 * ['read', 'text'].filter((word) => termsOf(name).has(word)).length;
}

/** Made already, or shown by an error to lead nowhere. */
function isFutile(tool: Tool, { input }: Filling, steps: readonly Step[]): boolean {
  const text = JSON.stringify(input);
  return steps.some((step) => {
    if (step.tool === tool.name && JSON.stringify(step.input) === text) return true;
    if (!step.failed) return false;
    // An error that is about a place or a value speaks against that one; any other speaks against the tool.
    const aboutInput = /not found|no such|does not exist|denied|outside|invalid|nothing at/i.test(step.text);
    return aboutInput ? sameValues(step.input, input) : step.tool === tool.name;
  });
}

function sameValues(one: Plan['input'], other: Plan['input']): boolean {
  const values = JSON.stringify(Object.values(one).flat());
  return values !== '[]' && values === JSON.stringify(Object.values(other).flat());
}

function wordsOf({ name, description }: Tool): Terms {
  return termsOf(`${name} ${description}`);
}
