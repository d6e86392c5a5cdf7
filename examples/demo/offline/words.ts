/** Words as the offline model compares them: in lower case, without endings, kindred ones as one. */

/** Word in the form that is compared → the word as it was written. */
export type Terms = ReadonlyMap<string, string>;

const LITTLE_WORDS = new Set(
  `a about according across after all also am an and any are as at be been before but by can could did do does for from get give go had
  has have he her him his how i if in into is it its like many me more most much my no not of on one or our out over please say says she
  should so some tell than that the their them then there these they this those to up use used was we were what when where which who
  whom whose why will with would you your`.split(/\s+/),
);

/** What a language model knows without being told. */
const KINDRED = [
  ['weather', 'temperature', 'humidity', 'forecast'],
  ['sum', 'plus', 'add', 'total'],
  ['environment', 'env', 'variable'],
  ['picture', 'image', 'logo', 'photo'],
].map((group) => group.map(withoutEnding));

/** The words of a text that say something; `readTextFile`, `read_text_file` and `read-text file` have the same ones. */
export function termsOf(text: string): Terms {
  const terms = new Map<string, string>();
  for (const [written] of text.replace(/([a-z])([A-Z])/g, '$1 $2').matchAll(/[\p{L}\p{N}]+/gu)) {
    const word = written.toLowerCase();
    if (LITTLE_WORDS.has(word) || (word.length === 1 && !/\d/.test(word))) continue;
    const plain = withoutEnding(word);
    const term = KINDRED.find((group) => group.includes(plain))?.[0] ?? plain;
    if (!terms.has(term)) terms.set(term, written);
  }
  return terms;
}

/** How much words tell: each 1 at most, and less the more of the texts have it. */
export function weigher(texts: readonly Terms[]): (terms: Iterable<string>) => number {
  const count = (term: string): number => texts.filter((each) => each.has(term)).length;
  const weight = (term: string): number => Math.log(1 + texts.length / (1 + count(term))) / Math.log(1 + texts.length);
  return (terms) => (texts.length === 0 ? 0 : [...terms].reduce((sum, term) => sum + weight(term), 0));
}

export function common(one: Terms, other: Terms): string[] {
  return [...one.keys()].filter((term) => other.has(term));
}

function withoutEnding(word: string): string {
  const stem = word.replace(/(?:ies|ing|ed|es|e|s|y)$/, '');
  return stem.length < 3 || word.endsWith('ss') ? word : stem;
}
