/** How much of a result a model is shown, as the application wants it. */

/** A media type, `image/png`, or all of a kind, `image/*`. */
export type MediaTypePattern = `${string}/${string}`;

/** `auto`: what every provider takes that takes media in results at all. `false`: none. */
export type MediaChoice = 'auto' | false | readonly MediaTypePattern[];

export type StructuredChoice = 'auto' | 'structured' | 'content' | 'both';

export interface ResultView {
  readonly media?: MediaChoice | undefined;
  readonly structured?: StructuredChoice | undefined;
}

/**
 * The provider package for Anthropic leaves audio out, that for OpenAI makes a document of it, and Gemini's documentation has no GIF. A
 * part that an API refuses ends the whole run, so only what all three document is sent unasked.
 */
const EVERYWHERE: readonly MediaTypePattern[] = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'];

/** Whether files of a media type (in lower case) are sent as such. */
export function takesMedia(mediaType: string, media: MediaChoice = 'auto'): boolean {
  const patterns = media === 'auto' ? EVERYWHERE : media === false ? [] : media;
  return patterns.some((raw) => {
    const pattern = raw.toLowerCase();
    return pattern.endsWith('/*') ? mediaType.startsWith(pattern.slice(0, -1)) : mediaType === pattern;
  });
}
