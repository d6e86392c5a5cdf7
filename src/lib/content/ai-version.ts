/** Which major of the AI SDK is installed: they differ in content parts, titles and tool search. */

import * as ai from 'ai';

/** 6 or 7. Told by a name that only 7 exports, read statically so that bundlers can drop the rest of `ai`. */
export const aiMajor: 6 | 7 = (ai as { readonly isStepCount?: unknown }).isStepCount === undefined ? 6 : 7;
