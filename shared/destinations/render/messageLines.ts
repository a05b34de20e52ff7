// The words and lines that the text forms of a message share. Pure.

import type { MessageStatus, OutgoingMessage, PortableMessage } from '../../contract/destination.ts';
import { oneLine } from '../../text/labels.ts';
import type { FittingMessage } from './fitMessage.ts';
import { inertText } from './inertText.ts';

/** The word of each state, as the page has it. */
const STATUS_WORDS: Record<MessageStatus, string> = {
  running: 'Running',
  waiting: 'Waiting for approval',
  completed: 'Completed',
  failed: 'Failed',
  cancelled: 'Cancelled',
  timed_out: 'Timed out',
  deferred: 'Deferred',
  notice: 'Notice',
};

/** The state of the problem, else of the work: `Firing since 18:24 UTC · Waiting for approval`. */
export function stateWords({ problem, status }: Pick<PortableMessage, 'problem' | 'status'>): string {
  if (problem === null) return STATUS_WORDS[status];
  return status === 'waiting' ? `${problem.text} · ${STATUS_WORDS[status]}` : problem.text;
}

/** The label of a command: nothing is to be done now about a problem that is over. */
export const commandLabel = ({ problem }: Pick<PortableMessage, 'problem'>): string =>
  problem?.status === 'resolved' ? 'If it fires again: ' : 'Do now: ';
/** Stands between the place of a problem and its command. */
export const PLACE_GAP = ' · ';

/** The second line: the place of the problem, and the command to run. */
export function placeLines(message: FittingMessage, show: (text: string) => string): string[] {
  const { location, command } = message;
  const parts = [
    ...(location === null ? [] : [show(location)]),
    ...(command === null ? [] : [`${commandLabel(message)}${show(command)}`]),
  ];
  return parts.length === 0 ? [] : [parts.join(PLACE_GAP)];
}

/** Characters of a message's text for notifications. */
const MAX_HEADLINE = 300;

/** The sentence that marks a message which can be there already. */
export const REPEATED = 'Possibly repeated: it is unknown whether an earlier attempt arrived.';

/** The sentence below a message that was cut. */
export const cutNote = ({ link }: FittingMessage): string =>
  link === null ? 'Parts were left out to fit.' : 'Parts were left out to fit; the page has all.';

/** Every page that a message opens, each once: the buttons that open one, then the session. */
export function listMessageButtons({ buttons, link }: FittingMessage): { title: string; url: string }[] {
  const pages = buttons.flatMap((button) =>
    button.action === 'open' ? [{ title: button.label, url: button.url }] : [],
  );
  return link === null || pages.some(({ url }) => url === link)
    ? pages
    : [...pages, { title: 'Open session', url: link }];
}

/**
 * A message as plain text, for places that show nothing else. Only addresses of links are left as they are.
 * @param show the form of a text of others. Default: `inertText`.
 */
export function messageLines(message: FittingMessage, show: (text: string) => string = inertText): string[] {
  const { title, certainty, summary, cause, nextStep, facts, evidence, sections, isRepeated, isCut } =
    message;
  return [
    `${stateWords(message)}: ${show(title)}`,
    ...placeLines(message, show),
    ...(certainty === null ? [] : [show(certainty)]),
    ...(isRepeated ? [REPEATED] : []),
    ...summary.map(show),
    ...(cause === null ? [] : [`Cause: ${show(cause)}`]),
    ...(nextStep === null ? [] : [`Next step: ${show(nextStep)}`]),
    ...facts.map(({ name, value }) => `${show(name)}: ${show(value)}`),
    ...(evidence.length === 0
      ? []
      : ['', 'Links:', ...evidence.map((link) => `- ${show(link.title)}: ${link.url}`)]),
    ...sections.flatMap((section) => ['', `${show(section.title)}:`, show(section.text)]),
    ...(isCut ? ['', cutNote(message)] : []),
    '',
    ...listMessageButtons(message).map((page) => `${show(page.title)}: ${page.url}`),
  ];
}

/** The sentence for notifications, in inert form and marked if it can be repeated. */
export function headline({ message: { text, isRepeated } }: OutgoingMessage): string {
  const line = inertText(oneLine(text, MAX_HEADLINE));
  return isRepeated ? `${line} (possibly repeated)` : line;
}
