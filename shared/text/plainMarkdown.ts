// A text of others within Markdown.

import { makeVisible } from './hiddenCharacters.ts';

/** Markup, and the starts of addresses that Markdown of GitHub links without markup. */
const MARKUP = /[\\`*_{}[\]<>#+!|~]|:(?=\/\/)|(?<=\bwww)\./gi;
/** An `@` that could mention an account; a gap without width keeps the word readable. */
const MENTION = /(?<![\p{L}\p{N}])@(?=[\p{L}\p{N}])/gu;

/**
 * A text on one line that shows no markup, links or mentions of its own. Names stay as they are, so that
 * people can search them in the text.
 */
export function plainMarkdown(text: string): string {
  return makeVisible(text).replace(/\s+/g, ' ').trim().replace(MARKUP, '\\$&').replace(MENTION, '@\u200b');
}
