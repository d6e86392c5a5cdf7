/** How much of a result a model is shown, as the application wants it. */

import type { InvisibleChoice } from './invisible.ts';

/** A media type, `image/png`, or all of a kind, `image/*`. */
export type MediaTypePattern = `${string}/${string}`;

/** Of the AI SDK's language models, what says which API they speak: `openai.chat`, `anthropic.messages`. */
export interface ModelWithProvider {
  readonly provider: string;
}

/**
 * `auto`: what every provider takes that takes media in results at all. `false`: none. A language model: what goes by its provider; those of
 * Chat Completions APIs write files out as base64 text, so theirs is none.
 */
export type MediaChoice = 'auto' | false | readonly MediaTypePattern[] | ModelWithProvider;

export type StructuredChoice = 'auto' | 'structured' | 'content' | 'both';

export interface ResultView {
  readonly media?: MediaChoice | undefined;
  readonly structured?: StructuredChoice | undefined;
  /** `strip`: what nobody sees does not go to the model. */
  readonly invisible?: InvisibleChoice | undefined;
}

/**
 * The provider package for Anthropic leaves audio out, that for OpenAI makes a document of it, and Gemini's documentation has no GIF. A
 * part that an API refuses ends the whole run, so only what all three document is sent unasked.
 */
const EVERYWHERE: readonly MediaTypePattern[] = ['image/png', 'image/jpeg', 'image/webp', 'application/pdf'];

/** Whether files of a media type (in lower case) are sent as such. */
export function takesMedia(mediaType: string, media: MediaChoice = 'auto'): boolean {
  return patternsOf(media).some((raw) => {
    const pattern = raw.toLowerCase();
    return pattern.endsWith('/*') ? mediaType.startsWith(pattern.slice(0, -1)) : mediaType === pattern;
  });
}

function patternsOf(media: MediaChoice): readonly MediaTypePattern[] {
  if (media === 'auto') return EVERYWHERE;
  if (media === false) return [];
  return 'provider' in media ? (speaksChat(media) ? [] : EVERYWHERE) : media;
}

/** The provider packages of Chat Completions APIs name theirs `….chat`, and so does Vertex AI, which speaks Gemini's. */
function speaksChat({ provider }: ModelWithProvider): boolean {
  return /\.chat$/.test(provider) && !/^google/.test(provider);
}
