// The documents that messages are made of, and the lengths of their lines. Pure.

import type { Approval } from '../../../core/schema/approval.ts';
import type { Session } from '../../../core/schema/session.ts';
import type { Outcome } from '../../../kits/alerts/outcome.ts';
import type { Delivery } from '../../../kits/deliveries/delivery.ts';
import { MAX_LINE } from '../../../kits/deliveries/oneLine.ts';
import { quoteText } from '../../../text/cut.ts';
import type { Elicit } from '../../../text/elicit.ts';
import { makeVisible } from '../../../text/hiddenCharacters.ts';
import type { ProblemState } from '../../../text/problemWords.ts';
import type { AnswerField } from './answerFields.ts';

/** The documents that a message shows. */
export interface MessageSources {
  session: Session;
  /** The state of its problem; null without an alert. */
  problem: ProblemState | null;
  delivery: Pick<Delivery, 'event' | 'destination' | 'isRepeated'>;
  /** For the events `approval` and `decided`. */
  approval?: Approval | undefined;
  /** For the event `asked`. */
  asked?: Elicit | undefined;
  /** The text for the event `answer`; null if the question was not answered. Absent: as null. */
  answer?: string | null | undefined;
  /** For the event `outcome`. */
  outcome?: Outcome | undefined;
  /** Fields of structured answers, for events about a result. Absent: none. */
  fields?: readonly AnswerField[] | undefined;
  /** Address of the dashboard, without a slash at its end; null without one. */
  publicUrl: string | null;
  now: Date;
}

/** Characters of titles, of the sentence for phones, and of lines, as the contract of messages has them. */
export const MAX_TITLE = 200;
export const MAX_TEXT = 300;
const MAX_LINES = 4;

/** The first four lines that are not empty, cut to their length. */
export function splitLines(text: string): string[] {
  return makeVisible(text)
    .split('\n')
    .map((line) => quoteText(line.trim(), MAX_LINE - 1))
    .filter((line) => line !== '')
    .slice(0, MAX_LINES);
}
