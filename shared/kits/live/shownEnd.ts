// The end of a streamed text that can be shown: masked, without a possible start of a secret.

import type { Masker } from '../../core/contract/guard.ts';
import { safeText } from '../../masking/answer/refuseSecrets.ts';
import { cleanText } from '../../masking/cleanText.ts';
import { finishedPart } from '../../masking/streamedText.ts';
import { cutText } from '../../text/cut.ts';
import type { LiveText } from './liveText.ts';

/** Limit of the text that is kept and shown. */
export const MAX_CHARACTERS = 200_000;
/** At most two texts per second. */
export const SHOW_EVERY_MS = 500;
/** The pause between two texts is ten times the duration of masking: 100 kB take about 40 ms. */
export const REST_FACTOR = 10;
/** Limit of the shown text, in UTF-8 bytes: a longer text shows its end. */
const MAX_BYTES = 20_000;

/** Text and thoughts of an answer so far. */
export interface Streamed {
  /** The text. */
  text: string;
  /** The summaries of thoughts. */
  thinking: string;
}

/** The parts of both that can be shown. */
export function showStreamed(
  streamed: Streamed,
  masker: Masker,
): Pick<LiveText, 'text' | 'textStart' | 'thinking' | 'thinkingStart'> {
  const text = shownEnd(streamed.text, masker);
  const thinking = shownEnd(streamed.thinking, masker);
  return { text: text.text, textStart: text.start, thinking: thinking.text, thinkingStart: thinking.start };
}

interface ShownEnd {
  /** At most 20,000 bytes of UTF-8, masked. */
  text: string;
  /** Number of UTF-16 units that are omitted before it. */
  start: number;
}

/**
 * Returns the text as it would be stored, without an end that the next characters could turn into a secret.
 * The whole text is masked each time, because a secret can span old and new parts.
 */
function shownEnd(streamed: string, masker: Masker): ShownEnd {
  const finished = finishedPart(safeText(cleanText(masker, streamed).text, masker));
  const text = cutText(finished, MAX_BYTES, 'last bytes');
  return { text, start: finished.length - text.length };
}
