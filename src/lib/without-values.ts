/** Takes a caller's own values out of what a server said about them. */

/** Shorter ones are in every text, and tell nothing. */
const SHORTEST = 3;
/** Characters from which on a text may have been cut. */
const LONG = 400;

/**
 * The text with each value replaced by the name of its argument. Texts of servers reach us on one line and cut at their end: a value is
 * found in that form, as JSON writes it, and where the end of it is cut off.
 *
 * @example
 * ```ts
 * withoutValues('no city "Utrecht"', { city: 'Utrecht' }); // 'no city "[city]"'
 * ```
 */
export function withoutValues(text: string, values: Readonly<Record<string, string>>): string {
  const forms = Object.entries(values).flatMap(([name, value]) => {
    const written = [value, JSON.stringify(value).slice(1, -1)].map((form) => form.replace(/\s+/g, ' ').trim());
    return [...new Set(written)].filter((form) => form.length >= SHORTEST).map((form) => ({ name, form }));
  });
  // A value may hold another one.
  forms.sort((a, b) => b.form.length - a.form.length);
  return forms.reduce((rest, { name, form }) => withoutEnd(rest.split(form).join(`[${name}]`), name, form), text);
}

/** Long texts are cut: what is left of the value then stands at the end, before what was added to it. */
function withoutEnd(text: string, name: string, form: string): string {
  const [, body = text, tail = ''] = /^(.*?)( \(-?\d+\))?$/s.exec(text) ?? [];
  if (body.length < LONG) return text;
  for (let length = Math.min(form.length - 1, body.length); length >= SHORTEST; length--) {
    if (body.endsWith(form.slice(0, length))) return `${body.slice(0, -length)}[${name}]${tail}`;
  }
  return text;
}
