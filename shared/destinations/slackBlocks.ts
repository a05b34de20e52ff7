// Renders a message as blocks of Slack. Text of others stands only in plain_text and rich_text elements,
// which Slack shows as they are: no markup, no mentions, no links. Pure.

import { isDeepStrictEqual } from 'node:util';
import type { MessageButton, MessageLink, MessageStatus, PortableMessage } from '../contract/destination.ts';
import { cutText, quoteText, splitText } from '../text/cut.ts';
import { escapeSlack } from './inert.ts';
import { withinContract } from './render/fitMessage.ts';
import { commandLabel, PLACE_GAP, stateWords } from './render/messageLines.ts';
import { richElements } from './slackMarkdown.ts';

/** https://docs.slack.dev/reference/block-kit/blocks: blocks of a message, and characters of a header. */
const MAX_BLOCKS = 50;
const MAX_HEADER = 150;
/** Characters of one element, as of a section. */
const MAX_ELEMENT = 3_000;
/**
 * Slack answers `msg_blocks_too_long` above 13,200 characters. Containers count as well
 * (https://github.com/slackapi/bolt-js/issues/2867); how much is unknown, so that all of the JSON is counted.
 */
const MAX_SIZE = 13_000;
/** Characters of texts, in the order in which forms are tried. */
const ROOMS = [11_000, 9_000, 7_000, 5_000, 3_000] as const;
/** Bold texts and blocks of code: the others stay as they are written. */
const MAX_STYLES = 60;
/** Characters of the addresses of evidence. */
const MAX_ADDRESSES = 2_500;
/** Characters of the heading of a section, and of the least room that a section is shown in. */
const MAX_HEADING = 200;
const LEAST_SECTION = 300;
/** https://docs.slack.dev/reference/methods/chat.postMessage: recommended characters of `text`. */
const MAX_TEXT = 4_000;

type SlackBlock = Record<string, unknown> & { type: string };

interface SlackMessage {
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

const PROBLEM_MARKS: Record<NonNullable<PortableMessage['problem']>['status'], string> = {
  firing: '🔥',
  resolved: '✅',
  acknowledged: '👀',
  test: '🧪',
  unknown: '❔',
};

/** @param hasButtons whether people can decide here. */
export function slackMessage(given: PortableMessage, hasButtons: boolean): SlackMessage {
  const [most, ...less] = ROOMS;
  let form = renderMessage(given, hasButtons, most);
  for (const characters of less) {
    if (countJsonCharacters(form.blocks) <= MAX_SIZE) break;
    form = renderMessage(given, hasButtons, characters);
  }
  return form;
}

/** The characters of the JSON, in which one that is escaped counts as one. */
const countJsonCharacters = (blocks: SlackBlock[]): number =>
  JSON.stringify(blocks).replace(/\\(?:u[0-9a-f]{4}|.)/g, '.').length;

function renderMessage(given: PortableMessage, hasButtons: boolean, characters: number): SlackMessage {
  const message = withinContract(given);
  const room = { left: characters, styles: MAX_STYLES };
  const repeated = message.isRepeated ? 'Possibly repeated: ' : '';
  const state = message.problem === null ? '' : `${stateWords(message)}: `;
  const head = `${chooseStatusMark(message)} ${repeated}${state}${message.title}`;
  const blocks: SlackBlock[] = [{ type: 'header', text: plainTextObject(cutText(head, MAX_HEADER)) }];
  const body = [
    ...placeSections(message, room),
    ...(message.certainty === null ? [] : [textSection(message.certainty, room)]),
    ...message.summary.map((line) => textSection(line, room)),
    ...(message.cause === null ? [] : [textSection(message.cause, room, 'Cause: ')]),
    ...(message.nextStep === null ? [] : [textSection(message.nextStep, room, 'Next step: ')]),
  ];
  if (body.length > 0) blocks.push(richText(body));
  // Before the sections, which can be cut.
  const facts = message.facts.map(({ name, value }) => `${name}: ${value}`).join('  ·  ');
  const factBlock = { type: 'context', elements: [plainTextObject(takeText(facts, room, 1_500).text)] };
  let addresses = 0;
  const evidence = message.evidence.filter(({ url }) => {
    addresses += url.length;
    return addresses <= MAX_ADDRESSES;
  });
  const links = listMessagePages({ ...message, evidence });
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

/** The mark of the problem; that of the work without an alert, and while a person has to decide. */
function chooseStatusMark({ problem, status }: PortableMessage): string {
  return problem === null || status === 'waiting' ? MARKS[status] : PROBLEM_MARKS[problem.status];
}

/** The place of the problem, and the command to run now, as code that can be copied. */
function placeSections(message: PortableMessage, room: Room): SlackBlock[] {
  const { location, command } = message;
  if (location === null && command === null) return [];
  const place = location === null ? '' : takeText(location, room).text;
  const label = command === null ? '' : `${location === null ? '' : PLACE_GAP}${commandLabel(message)}`;
  const code = { type: 'text', text: command ?? '', style: { code: true } };
  room.left -= command?.length ?? 0;
  const elements = [
    { type: 'text', text: `${place}${label}` },
    ...(command === null ? [] : [code]),
    { type: 'text', text: '\n' },
  ];
  return [{ type: 'rich_text_section', elements }];
}

interface Room {
  left: number;
  styles: number;
}

function takeText(text: string, room: Room, most = MAX_ELEMENT): { text: string; isWhole: boolean } {
  const fitted = fitText(text, Math.min(most, room.left));
  room.left -= fitted.text.length;
  return fitted;
}

const plainTextObject = (text: string): SlackBlock => ({
  type: 'plain_text',
  text: text || ' ',
  emoji: false,
});
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
      ? splitText(fitted.text, MAX_ELEMENT, 'characters').map((piece) => ({
          type: 'rich_text_preformatted',
          elements: [{ type: 'text', text: piece }],
        }))
      : richElements(fitted.text, MAX_ELEMENT, room);
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
    text: plainTextObject(cutText(button.label, 75)),
    ...(button.action === 'open' ? { url: button.url } : { value: button.value }),
    ...(button.action === 'approve' && { style: 'primary' }),
    ...(button.action === 'deny' && { style: 'danger' }),
  }));
  return [{ type: 'actions', elements }];
}

/** A part of a text, and whether it is the whole of it. */
interface FittedText {
  text: string;
  isWhole: boolean;
}

/** The start of a text that fits, with `…` at its end if it was cut. */
function fitText(text: string, most: number): FittedText {
  if (text.length <= most) return { text, isWhole: true };
  return { text: most < 2 ? '' : quoteText(text, most - 1), isWhole: false };
}

/** The pages of a message: its evidence, and the page of the session last. */
function listMessagePages({ evidence, link }: PortableMessage): MessageLink[] {
  return link === null ? evidence : [...evidence, { title: 'Open in Inquest', url: link }];
}
