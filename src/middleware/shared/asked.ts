/** Asks a function of the user's about something that has already happened: it must not take the place of what did. */

/** What the function says, or what holds without it where it throws. */
export function asked<T>(ask: () => T, otherwise: () => T): T {
  try {
    return ask();
  } catch {
    return otherwise();
  }
}
