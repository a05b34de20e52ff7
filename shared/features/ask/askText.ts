// The text that the agents get about a question: the alerts of its thread, its messages and its files. Pure.

import type { ChatMessage } from '../../contract/destination.ts';
import { quoteText } from '../../text/cut.ts';
import { minuteText } from '../../text/times.ts';
import type { CardAlert } from './cards.ts';

const MAX_MESSAGE = 4_000;
const MAX_THREAD = 150_000;
const MAX_FILES = 100_000;
/** A body that starts like this is read as text, whatever the question looks like. */
export const QUESTION = 'Question: ';

interface AskParts {
  question: string;
  /** The thread without the mention, in the order of time. */
  messages: readonly ChatMessage[];
  /** The mention, which can have files; undefined if it was not read. */
  mention: ChatMessage | undefined;
  cards: readonly CardAlert[];
  /** The missing part of the thread, as a sentence; null if there is none. */
  note: string | null;
}

/** The text, with the newest messages first: the prompt cuts its end. */
export function composeAskText({ question, messages, mention, cards, note }: AskParts): string {
  const newest = messages.toReversed();
  const lines: string[] = [];
  let room = MAX_THREAD;
  for (const message of newest) {
    const line = messageLines(message);
    room -= line.length;
    if (room < 0) break;
    lines.push(line);
  }
  const left = newest.length - lines.length;
  const notes = [note, left === 0 ? null : `${left} more messages are too long to be shown.`];
  const all = mention === undefined ? newest : [mention, ...newest];
  return [
    `${QUESTION}${question}`,
    ...(cards.length === 0
      ? []
      : [['Alerts of other apps in the thread:', ...cards.map(cardLine)].join('\n')]),
    [`The thread, the newest message first (${messages.length}):`, ...lines].join('\n'),
    ...notes.filter((one) => one !== null),
    ...fileTexts(all),
  ].join('\n\n');
}

/** One line for the start of a message, and indented ones: no text can look like another message. */
function messageLines({ at, author, text, files }: ChatMessage): string {
  const names = files.map(({ name, note }) => `file ${name}${note === null ? '' : `, not read: ${note}`}`);
  const more = names.length === 0 ? '' : ` (${names.join('; ')})`;
  const shown = quoteText(text, MAX_MESSAGE).replaceAll('\n', '\n  ');
  return `[${minuteText(at)}] ${author.kind} ${author.name}${more}: ${shown}`;
}

function cardLine({ title, status, severity, labels, at }: CardAlert): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}=${value}`);
  const facts = [status, severity, `posted ${minuteText(at)}`, pairs.join(' ')];
  return `- ${title}: ${facts.filter(Boolean).join(', ')}`;
}

function fileTexts(messages: readonly ChatMessage[]): string[] {
  let room = MAX_FILES;
  return messages
    .flatMap(({ files }) => files)
    .flatMap(({ name, text }) => {
      if (text === null || room <= 0) return [];
      const shown = quoteText(text, room).replaceAll('\n', '\n  ');
      room -= shown.length;
      return [`File ${name}:\n  ${shown}`];
    });
}
