/** Characters that a reader does not see and a model does: a place to hide instructions. */

/** All that draws nothing, but for tabs and line breaks. */
const INVISIBLE = /(?![\t\n\r])[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/u;

/** The flags of England, Scotland and Wales are made of tags. */
const FLAG =
  /\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f}/u;
/** Most texts are of these alone, and this is found out much faster. */
const OTHER_THAN_ASCII = /[^ -~]/;
const EACH = new RegExp(`${FLAG.source}|${INVISIBLE.source}`, 'gu');

/** Scripts in which joiners change how a word is written. */
const JOINING =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}]$/u;
const STARTS_JOINING = new RegExp(`^${JOINING.source.slice(0, -1)}`, 'u');
const PICTURE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier})\ufe0f?$/u;
const STARTS_PICTURE = /^\p{Extended_Pictographic}/u;
const EMOJI = /[\p{Emoji}]$/u;
const IDEOGRAPH = /\p{Script=Han}$/u;

/** Longest stretch before and after a character that says what it is part of, in UTF-16 units. */
const CONTEXT = 4;

/** `auto`: stripped from what servers say of themselves, their tools, resources and prompts. `strip`: from results too. `keep`: nowhere. */
export type InvisibleChoice = 'auto' | 'strip' | 'keep';

/** Whether there may be something to strip. */
export function hasInvisible(text: string): boolean {
  return OTHER_THAN_ASCII.test(text) && INVISIBLE.test(text);
}

/**
 * The text without what draws nothing. What is part of how something is written stays: joiners within emoji and between letters of scripts
 * that join, a variation selector right behind what it varies, the tags of flags.
 *
 * @example
 * ```ts
 * stripInvisible('read\u200b it \u{e0041}'); // 'read it '
 * ```
 */
export function stripInvisible(text: string): string {
  if (!hasInvisible(text)) return text;
  return text.replace(EACH, (found, at: number) => (found.startsWith('\u{1f3f4}') || isPart(text, found, at) ? found : ''));
}

function isPart(text: string, character: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - CONTEXT), at);
  const after = text.slice(at + character.length, at + character.length + CONTEXT);
  const code = character.codePointAt(0) ?? 0;
  if (code === 0x200c) return JOINING.test(before) && STARTS_JOINING.test(after);
  if (code === 0x200d) {
    return (PICTURE.test(before) && STARTS_PICTURE.test(after)) || (JOINING.test(before) && STARTS_JOINING.test(after));
  }
  if (code === 0xfe0e || code === 0xfe0f) return EMOJI.test(before) || IDEOGRAPH.test(before);
  const varies = (code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef);
  return varies && IDEOGRAPH.test(before);
}
