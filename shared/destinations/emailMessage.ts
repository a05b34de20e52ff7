// The mail of a message: text and equal HTML without images, external styles, or markup of others.

import type { SendMailOptions } from 'nodemailer';
import type { OutgoingMessage } from '../contract/destination.ts';
import { quoteText } from '../text/cut.ts';
import { makeVisible } from '../text/hiddenCharacters.ts';
import { type FittingMessage, fitMessage } from './render/fitMessage.ts';
import { escapeHtml } from './render/inertText.ts';
import { messageKey } from './render/messageKey.ts';
import {
  commandLabel,
  cutNote,
  headline,
  listMessageButtons,
  messageLines,
  PLACE_GAP,
  REPEATED,
  stateWords,
} from './render/messageLines.ts';

/** Bytes of text and HTML: Gmail cuts mails above 102 kB. */
const MAX_BYTES = 90_000;
/** RFC 5322, 2.1.1: lines of headers have at most 998 characters; clients show about 100. */
const MAX_SUBJECT = 200;

type MailParts = Pick<
  SendMailOptions,
  'messageId' | 'subject' | 'headers' | 'inReplyTo' | 'references' | 'text' | 'html'
>;

/** The Message-ID of a message, the same in all attempts. */
export function composeMessageId(id: string, from: string): string {
  const domain = /@([A-Za-z0-9.-]+)>?\s*$/.exec(from)?.[1] ?? 'inquest.invalid';
  return `<inquest.${messageKey(id)}@${domain}>`;
}

/** Renders a message. */
export function renderMail(outgoing: OutgoingMessage, from: string): MailParts {
  const { id, thread, message } = outgoing;
  const render = (version: FittingMessage) => ({
    text: messageLines(version).join('\n'),
    html: renderEmailHtml(version),
  });
  return {
    messageId: composeMessageId(id, from),
    subject: quoteText(headline(outgoing).replace(/\s+/g, ' ').trim() || 'Inquest', MAX_SUBJECT - 1),
    // RFC 3834: no out-of-office answers.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    ...(thread !== null && { inReplyTo: thread, references: thread }),
    ...fitMessage(message, render, ({ text, html }) => Buffer.byteLength(text + html), MAX_BYTES),
  };
}

function renderEmailHtml(message: FittingMessage): string {
  const { title, certainty, summary, cause, nextStep, facts, evidence, sections, isRepeated, isCut } =
    message;
  const link = ({ title: name, url }: { title: string; url: string }) =>
    `<a href="${escapeHtml(url)}" rel="noreferrer noopener">${showInert(name)}</a>`;
  const parts = [
    `<h2 dir="auto">${showInert(`${stateWords(message)}: ${title}`)}</h2>`,
    ...placeHtml(message),
    ...(certainty === null ? [] : [`<p dir="auto">${showInert(certainty)}</p>`]),
    ...(isRepeated ? [`<p><i>${REPEATED}</i></p>`] : []),
    ...summary.map((line) => `<p dir="auto">${showInert(line)}</p>`),
    ...(cause === null ? [] : [`<p dir="auto"><b>Cause:</b> ${showInert(cause)}</p>`]),
    ...(nextStep === null ? [] : [`<p dir="auto"><b>Next step:</b> ${showInert(nextStep)}</p>`]),
    ...(facts.length === 0
      ? []
      : [
          `<p dir="auto">${facts.map(({ name, value }) => `${showInert(name)}: ${showInert(value)}`).join('<br>')}</p>`,
        ]),
    ...(evidence.length === 0
      ? []
      : [`<p><b>Evidence</b></p><ul>${evidence.map((each) => `<li>${link(each)}</li>`).join('')}</ul>`]),
    ...sections.map(
      (section) => `<p><b>${showInert(section.title)}</b></p><pre>${showInert(section.text)}</pre>`,
    ),
    ...(isCut ? [`<p><i>${cutNote(message)}</i></p>`] : []),
    ...listMessageButtons(message).map((page) => `<p>${link(page)}</p>`),
  ];
  return `<!doctype html><html><body>${parts.join('')}</body></html>`;
}

function placeHtml(message: FittingMessage): string[] {
  const { location, command } = message;
  const parts = [
    ...(location === null ? [] : [showInert(location)]),
    ...(command === null ? [] : [`${commandLabel(message)}<code>${showInert(command)}</code>`]),
  ];
  return parts.length === 0 ? [] : [`<p dir="auto">${parts.join(PLACE_GAP)}</p>`];
}

/**
 * Escaped HTML in which clients find no address: they search text without elements for dots, `@` and `://`.
 * Copied text has no extra characters.
 */
function showInert(text: string): string {
  return escapeHtml(makeVisible(text)).replace(/[.@\\\u3002\uff0e\uff61]|:(?=\/\/|\S)/g, '<span>$&</span>');
}
