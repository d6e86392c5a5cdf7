/** Asks a function of the user's about something that has already happened: it must not take the place of what did. */

/** What the function says, or what holds without it where it throws or gives a promise. */
export function asked<T>(ask: () => T, otherwise: () => T): T {
  try {
    const answer = ask();
    if (!isLate(answer)) return answer;
  } catch {
    // What holds without it, then.
  }
  return otherwise();
}

/** Whether it is a promise, which is no answer where nobody waits. Its rejection is nobody's from then on. */
export function isLate(answer: unknown): boolean {
  if (!(answer instanceof Promise)) return false;
  answer.catch(() => {});
  return true;
}
