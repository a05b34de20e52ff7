// Renders a message as blocks of Slack. Text of others stands only in plain_text and rich_text elements, which Slack shows as
// they are: no markup, no mentions, no links. Pure.

import { isDeepStrictEqual } from 'node:util';
import type { MessageButton, MessageStatus, PortableMessage } from '../contract/destination.ts';
import { cutToCharacters } from '../text/quote.ts';
import { escapeSlack, fitText, linksOf } from './inert.ts';
import { withinContract } from './render/fitMessage.ts';
import { richElements, splitText } from './slackMarkdown.ts';

/** https://docs.slack.dev/reference/block-kit/blocks: blocks of a message, and characters of a header. */
const MAX_BLOCKS = 50;
const MAX_HEADER = 150;
/** Characters of one element, as of a section. */
const MAX_ELEMENT = 3_000;
/** Characters of all blocks; Slack answers `msg_blocks_too_long` above 13,200. The rest is for JSON and links. */
const MAX_CHARACTERS = 11_000;
/** Characters of the heading of a section, and of the least room that a section is shown in. */
const MAX_HEADING = 200;
const LEAST_SECTION = 300;
/** https://docs.slack.dev/reference/methods/chat.postMessage: recommended characters of `text`. */
const MAX_TEXT = 4_000;

/** A block or an element, as Slack's API takes it. */
type SlackBlock = Record<string, unknown> & { type: string };

/** A message of Slack. */
export interface SlackMessage {
  /** For notifications and for readers without blocks. */
  text: string;
  blocks: SlackBlock[];
}

const MARKS: Record<MessageStatus, string> = {
  running: '🔎',
  waiting: '✋',
  completed: '✅',
  failed: '❌',
  cancelled: '⏹️',
  timed_out: '⌛',
  deferred: '⏸️',
  notice: 'ℹ️',
};

/** @param hasButtons whether people can decide here. */
export function slackMessage(given: PortableMessage, hasButtons: boolean): SlackMessage {
  const message = withinContract(given);
  const room = { left: MAX_CHARACTERS };
  const repeated = message.isRepeated ? 'Possibly repeated: ' : '';
  const head = `${MARKS[message.status]} ${repeated}${message.title}`;
  const blocks: SlackBlock[] = [{ type: 'header', text: plainText(cutToCharacters(head, MAX_HEADER)) }];
  const body = [
    ...message.summary.map((line) => textSection(line, room)),
    ...(message.cause === null ? [] : [textSection(message.cause, room, 'Cause: ')]),
    ...(message.nextStep === null ? [] : [textSection(message.nextStep, room, 'Next step: ')]),
  ];
  if (body.length > 0) blocks.push(richText(body));
  // Before the sections, which can be cut.
  const facts = message.facts.map(({ name, value }) => `${name}: ${value}`).join('  ·  ');
  const factBlock = { type: 'context', elements: [plainText(takeText(facts, room, 1_500).text)] };
  const links = linksOf(message);
  const linkBlock = richText([linkSection(links, room)]);
  const { sections, areWhole } = sectionBlocks(message, room);
  const isWhole = areWhole && isDeepStrictEqual(message.sections, given.sections);
  blocks.push(...sections);
  if (facts !== '') blocks.push(factBlock);
  if (links.length > 0) blocks.push(linkBlock);
  const buttons = buttonBlocks(message.buttons, hasButtons, isWhole);
  const shown = [...blocks.slice(0, MAX_BLOCKS - buttons.length), ...buttons];
  return { text: escapeSlack(fitText(repeated + message.text, MAX_TEXT / 2).text), blocks: shown };
}

interface Room {
  left: number;
}

function takeText(text: string, room: Room, most = MAX_ELEMENT): { text: string; isWhole: boolean } {
  const fitted = fitText(text, Math.min(most, room.left));
  room.left -= fitted.text.length;
  return fitted;
}

const plainText = (text: string): SlackBlock => ({ type: 'plain_text', text: text || ' ', emoji: false });
const richText = (elements: SlackBlock[]): SlackBlock => ({ type: 'rich_text', elements });

function textSection(text: string, room: Room, label = ''): SlackBlock {
  const bold = label === '' ? [] : [{ type: 'text', text: label, style: { bold: true } }];
  return {
    type: 'rich_text_section',
    elements: [...bold, { type: 'text', text: `${takeText(text, room).text || ' '}\n` }],
  };
}

function linkSection(links: readonly { title: string; url: string }[], room: Room): SlackBlock {
  const elements = links.flatMap(({ title, url }, index) => [
    ...(index === 0 ? [] : [{ type: 'text', text: '  ·  ' }]),
    { type: 'link', url, text: takeText(title.trim(), room, 100).text || 'Link' },
  ]);
  return { type: 'rich_text_section', elements };
}

/** The sections, in elements of at most 3,000 characters. Those that do not fit are cut, with a note. */
function sectionBlocks(
  { sections, link }: PortableMessage,
  room: Room,
): { sections: SlackBlock[]; areWhole: boolean } {
  let areWhole = true;
  const blocks = sections.flatMap(({ title, text, isCode }) => {
    if (room.left < LEAST_SECTION) {
      areWhole = false;
      return [];
    }
    const head = takeText(title, room, MAX_HEADING);
    areWhole &&= head.isWhole;
    const heading = boldLine(head.text);
    const fitted = takeText(text, room, room.left);
    areWhole &&= fitted.isWhole;
    const note = fitted.isWhole ? [] : [cutNote(link)];
    const body = isCode
      ? splitText(fitted.text, MAX_ELEMENT).map((piece) => ({
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: piece }],
        }))
      : richElements(fitted.text, MAX_ELEMENT);
    return [richText([heading, ...body, ...note])];
  });
  return { sections: blocks, areWhole };
}

function boldLine(text: string): SlackBlock {
  return {
    type: 'rich_text_section',
    elements: [{ type: 'text', text: `${text}\n`, style: { bold: true } }],
  };
}

function cutNote(link: string | null): SlackBlock {
  const text = link === null ? '(cut)' : '(cut; the page of the session has all of it)';
  return {
    type: 'rich_text_section',
    elements: [{ type: 'text', text: `\n${text}`, style: { italic: true } }],
  };
}

/** A call that is not shown whole has no button that approves it. */
function buttonBlocks(
  buttons: readonly MessageButton[],
  hasButtons: boolean,
  areWhole: boolean,
): SlackBlock[] {
  const shown = buttons.filter(
    ({ action }) => action === 'open' || (hasButtons && (action === 'deny' || areWhole)),
  );
  if (shown.length === 0) return [];
  const elements = shown.map((button) => ({
    type: 'button',
    action_id: button.action,
    text: plainText(cutToCharacters(button.label, 75)),
    ...(button.action === 'open' ? { url: button.url } : { value: button.value }),
    ...(button.action === 'approve' && { style: 'primary' }),
    ...(button.action === 'deny' && { style: 'danger' }),
  }));
  return [{ type: 'actions', elements }];
}
