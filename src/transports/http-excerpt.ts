/** A short piece of an HTTP body for an error's text, without markup and without anything that was sent as a header. */

import { spellings } from '../lib/spellings.ts';

const LENGTH = 200;
/** No secret is searched for, and no markup stripped, in more than this. */
const WINDOW = 16_384;
/** Shorter values are too common to be worth hiding. */
const SECRET_LENGTH = 6;
/** Ours, the same for everyone, and useful in a text. */
const PLAIN = new Set(['accept', 'content-type', 'mcp-protocol-version', 'mcp-method']);

/** As a request was sent with them, in either form; lower-case names. */
export type SentHeaders = Headers | Readonly<Record<string, string>>;

/** At most 200 characters on one line; every header value of 6 characters or more that the body repeats becomes `***`. */
export function excerpt(body: string, sent: SentHeaders, url: URL): string {
  const text = concealed(body.slice(0, WINDOW), sent, url)
    .replace(/<(script|style)\b.*?(?:<\/\1\s*>|$)/gis, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\s\p{C}]+/gu, ' ')
    .trim();
  const characters = [...text];
  return characters.length <= LENGTH ? text : `${characters.slice(0, LENGTH - 1).join('')}…`;
}

/** The text, in which every header value of 6 characters or more, and every value of the URL's query, is `***`. */
export function concealed(text: string, sent: SentHeaders, url: URL): string {
  return secretsOf(sent, url).reduce((result, secret) => result.replaceAll(secret, '***'), text);
}

/** The values, their parts (a token without its scheme, a cookie without its name), and how a body may spell them; longest first. */
function secretsOf(sent: SentHeaders, url: URL): readonly string[] {
  const secrets = new Set<string>();
  for (const value of url.searchParams.values()) {
    if (value.length >= SECRET_LENGTH) for (const spelling of spellings(value)) secrets.add(spelling);
  }
  const entries = Symbol.iterator in sent ? (sent as Headers) : Object.entries(sent);
  for (const [name, value] of entries) {
    if (PLAIN.has(name)) continue;
    const parts = [...value.split(/\s+/), ...value.split(/[\s,;]+/)];
    for (const secret of [value, ...parts, ...parts.map((part) => part.slice(part.indexOf('=') + 1))]) {
      if (secret.length < SECRET_LENGTH) continue;
      for (const spelling of spellings(secret)) secrets.add(spelling);
    }
  }
  return [...secrets].sort((a, b) => b.length - a.length);
}
