/** Puts the values of environment variables into a text: `${NAME}`, `${NAME:-default}`, and other clients' ways to write the same. */

export type Env = Readonly<Record<string, string | undefined>>;

// `${env:NAME}` is VS Code's and Cursor's, `{env:NAME}` opencode's. VS Code asks its user for `${input:name}`.
const REFERENCE = /\$\{(?:(env|input):)?([A-Za-z_][\w-]*)(\}|:-)|\{env:([A-Za-z_]\w*)\}/g;
const MAX_DEPTH = 8;

/**
 * The text with its variables replaced; `onProblem` is told which could not be, by name. As in a shell, the default is used when the
 * variable is unset or empty, and may hold variables of its own. A `${…}` of any other form stays as it is.
 */
export function expand(text: string, env: Env, onProblem: (message: string) => void, depth = 0): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(REFERENCE)) {
    // Inside a default that was dealt with already.
    if (match.index < at) continue;
    const [whole, kind, braced, ending, bare] = match;
    const from = match.index + whole.length;
    const end = ending === ':-' ? closing(text, from) : from;
    if (end < 0) continue;
    const fallback = ending === ':-' ? text.slice(from, end - 1) : undefined;
    result += text.slice(at, match.index);
    at = end;
    const name = braced ?? bare ?? '';
    const found = Object.hasOwn(env, name) ? env[name] : undefined;
    if (found !== undefined && (found !== '' || fallback === undefined)) result += found;
    else if (fallback !== undefined && depth < MAX_DEPTH) result += expand(fallback, env, onProblem, depth + 1);
    else onProblem(problem(name, kind, fallback));
  }
  return result + text.slice(at);
}

function problem(name: string, kind: string | undefined, fallback: string | undefined): string {
  if (fallback !== undefined) return `has defaults within defaults, too many deep, at the variable ${name}.`;
  if (kind === 'input')
    return `needs \${input:${name}}, which an editor asks its user for; pass a variable named ${name} in \`env\`.`;
  return `needs the environment variable ${name}, which is not set. Set it, or give a default: \${${name}:-default}.`;
}

/** The place after the brace that ends a default: the one that balances, or else the first. */
function closing(text: string, from: number): number {
  let open = 1;
  for (let index = from; index < text.length; index++) {
    if (text[index] === '{') open++;
    else if (text[index] === '}' && --open === 0) return index + 1;
  }
  return text.indexOf('}', from) + 1 || -1;
}
