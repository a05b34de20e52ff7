// The issue of a message on GitHub, within limits. Text of others is escaped, or in blocks of code.

import type { OutgoingMessage } from '../contract/destination.ts';
import { quoteText } from '../text/cut.ts';
import { type FittingMessage, fitMessage } from './render/fitMessage.ts';
import { escapeMarkdown, fencedBlock, inertText } from './render/inertText.ts';
import { messageKey } from './render/messageKey.ts';
import { commandLabel, cutNote, listMessageButtons, REPEATED, stateWords } from './render/messageLines.ts';

/** GitHub refuses titles above 256 characters, and bodies above 65,536. */
const MAX_TITLE = 250;
const MAX_BODY = 60_000;

/** The comment at the end of a body by which a probe finds the message. It is not shown. */
export function githubMark(id: string): string {
  return `<!-- inquest ${messageKey(id)} -->`;
}

/** Renders a message as an issue; a comment has only the body. */
export function renderIssue({ id, message }: OutgoingMessage): { title: string; body: string } {
  const title = quoteText(inertText(message.title.replace(/\s+/g, ' ').trim()) || 'Inquest', MAX_TITLE - 1);
  const render = (version: FittingMessage) =>
    `${composeIssueBody(version).join('\n\n')}\n\n${githubMark(id)}`;
  return { title, body: fitMessage(message, render, (body) => body.length, MAX_BODY) };
}

function composeIssueBody(message: FittingMessage): string[] {
  const { title, location, command, certainty, summary, cause, nextStep } = message;
  const { facts, evidence, sections, isRepeated, isCut } = message;
  const show = escapeMarkdown;
  return [
    `**${stateWords(message)}**: ${show(title)}`,
    ...(location === null ? [] : [show(location)]),
    ...(command === null ? [] : [`**${commandLabel(message).trim()}**`, fencedBlock(command)]),
    ...(certainty === null ? [] : [show(certainty)]),
    ...(isRepeated ? [`_${REPEATED}_`] : []),
    ...summary.map(show),
    ...(cause === null ? [] : [`**Cause:** ${show(cause)}`]),
    ...(nextStep === null ? [] : [`**Next step:** ${show(nextStep)}`]),
    ...(facts.length === 0
      ? []
      : [facts.map(({ name, value }) => `- ${show(name)}: ${show(value)}`).join('\n')]),
    ...(evidence.length === 0 ? [] : ['**Evidence**', evidence.map(formatIssueLink).join('\n')]),
    ...sections.flatMap((section) => [`**${show(section.title)}**`, fencedBlock(section.text)]),
    ...(isCut ? [`_${cutNote(message)}_`] : []),
    ...listMessageButtons(message).map((page) => `[${show(page.title)}](<${page.url}>)`),
  ];
}

/** An address in angle brackets ends only with the bracket, encoded in URLs (CommonMark 0.31, 6.3). */
function formatIssueLink({ title, url }: { title: string; url: string }): string {
  return `- [${escapeMarkdown(title)}](<${url}>)`;
}
