/** Patterns with `*` (any run of characters) and `?` (one character); everything else stands for itself. */

/** Whether the whole text matches. Linear in the text for each pattern: no regular expression is built from user input. */
export function matchesGlob(text: string, pattern: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let index = 0;
  while (index < text.length) {
    if (at < pattern.length && (pattern[at] === '?' || pattern[at] === text[index]) && pattern[at] !== '*') {
      at++;
      index++;
    } else if (pattern[at] === '*') {
      star = at++;
      resume = index;
    } else if (star >= 0) {
      at = star + 1;
      index = ++resume;
    } else {
      return false;
    }
  }
  while (pattern[at] === '*') at++;
  return at === pattern.length;
}
