// Messages within the limits of a destination: first the limits of the portable message, then versions with
// less and less detail until one fits. Pure.

import type {
  MessageButton,
  MessageLink,
  MessageSection,
  PortableMessage,
} from '../../contract/destination.ts';
import { quoteText } from '../../text/cut.ts';
import { makeVisible } from '../../text/hiddenCharacters.ts';
import { oneLine } from '../../text/labels.ts';
import { safeUrl } from '../../text/webLink.ts';

/** Characters of a line of the summary, the cause and the next step. */
const MAX_LINE = 500;
/** Browsers and proxies cut longer addresses. */
const MAX_URL = 2_000;
/** Characters that sections keep, in the order in which versions are tried. */
const SECTION_STEPS = [20_000, 8_000, 3_000, 1_000, 300, 0] as const;

/** A version of a message. */
export interface FittingMessage extends PortableMessage {
  /** Whether something was left out. The message then refers to the page. */
  isCut: boolean;
}

/**
 * The most detailed form of a message that fits.
 * @param render makes the form of the destination.
 * @param sizeOf the size of a form, in the unit of `limit`.
 */
export function fitMessage<T>(
  message: PortableMessage,
  render: (message: FittingMessage) => T,
  sizeOf: (form: T) => number,
  limit: number,
): T {
  let form: T | undefined;
  for (const version of shortenMessage(message)) {
    form = render(version);
    if (sizeOf(form) <= limit) return form;
  }
  // The last version is a title: no destination has a limit below it.
  return form as T;
}

/** The message, then versions with less. */
function* shortenMessage(given: PortableMessage): Generator<FittingMessage, void> {
  const message = withinContract(given);
  for (const most of SECTION_STEPS) {
    const sections = most === 0 ? [] : message.sections.map((section) => cutSection(section, most));
    const isCut =
      sections.length < given.sections.length ||
      sections.some(({ text }, at) => text !== given.sections[at]?.text);
    yield { ...message, sections, isCut };
  }
  const short = { ...message, sections: [], isCut: true };
  yield { ...short, evidence: message.evidence.slice(0, 3) };
  yield { ...short, evidence: [] };
  yield { ...short, evidence: [], facts: [], summary: message.summary.slice(0, 1) };
  const none = { command: null, summary: [], cause: null, nextStep: null, buttons: [] };
  yield { ...short, ...none, evidence: [], facts: [] };
}

/**
 * The message with hidden characters made visible, everything cut to the lengths that the contract promises,
 * and without links that the page would not make.
 */
export function withinContract(message: PortableMessage): PortableMessage {
  const line = (text: string | null) =>
    text === null || text.trim() === '' ? null : oneLine(text, MAX_LINE);
  return {
    ...message,
    title: oneLine(message.title, 200),
    text: oneLine(message.text, 300),
    location: message.location === null ? null : oneLine(message.location, 300) || null,
    command: commandWithin(message.command),
    certainty: line(message.certainty),
    summary: message.summary.slice(0, 4).map((text) => oneLine(text, MAX_LINE)),
    cause: line(message.cause),
    nextStep: line(message.nextStep),
    facts: message.facts
      .slice(0, 8)
      .map(({ name, value }) => ({ name: oneLine(name, 40), value: oneLine(value, 200) })),
    evidence: message.evidence.slice(0, 10).flatMap(linkWithin),
    sections: message.sections.slice(0, 20).map((section) => ({
      ...section,
      title: oneLine(section.title, 200),
      text: makeVisible(section.text),
    })),
    buttons: message.buttons.slice(0, 5).flatMap(buttonWithin),
    link: message.link === null ? null : (linkWithin({ title: '', url: message.link })[0]?.url ?? null),
  };
}

/** A command that was cut or changed would be run so. */
function commandWithin(command: string | null): string | null {
  return command !== null && command !== '' && oneLine(command, MAX_LINE) === command ? command : null;
}

function buttonWithin(button: MessageButton): MessageButton[] {
  const label = oneLine(button.label, 40);
  if (button.action !== 'open') return [{ ...button, label }];
  return linkWithin({ title: label, url: button.url }).map(({ url }) => ({ ...button, label, url }));
}

function linkWithin({ title, url }: MessageLink): MessageLink[] {
  const safe = safeUrl(url);
  if (safe === undefined || safe.href.length > MAX_URL) return [];
  return [{ title: oneLine(title, 200) || safe.host, url: safe.href }];
}

function cutSection(section: MessageSection, most: number): MessageSection {
  return { ...section, text: quoteText(section.text, most) };
}
