// Makes text of others harmless in places whose markup cannot be switched off. Pure.

import type { MessageLink, PortableMessage } from '../contract/destination.ts';
import { quoteText } from '../text/cut.ts';

/** The text with entities for characters that Slack reads as control sequences, `<!channel>`. */
export function escapeSlack(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** A part of a text, and whether it is the whole of it. */
interface FittedText {
  text: string;
  isWhole: boolean;
}

/** The start of a text that fits, with `…` at its end if it was cut. */
export function fitText(text: string, most: number): FittedText {
  if (text.length <= most) return { text, isWhole: true };
  return { text: most < 2 ? '' : quoteText(text, most - 1), isWhole: false };
}

/** The pages of a message: its evidence, and the page of the session last. */
export function listMessagePages({ evidence, link }: PortableMessage): MessageLink[] {
  return link === null ? evidence : [...evidence, { title: 'Open in Inquest', url: link }];
}
