// The card of a message in Google Chat, within 32,000 bytes. Text of others is escaped HTML in
// `textParagraph`. https://developers.google.com/workspace/chat/api/reference/rest/v1/cards

import type { OutgoingMessage } from '../contract/destination.ts';
import { type FittingMessage, fitMessage } from './render/fitMessage.ts';
import { escapeHtml, inertText } from './render/inertText.ts';
import {
  cutNote,
  headline,
  listMessageButtons,
  placeLines,
  REPEATED,
  stateWords,
} from './render/messageLines.ts';

/** Bytes of a message with its thread: 32,000 with a margin for fields that Chat adds. */
const MAX_BYTES = 30_000;
/** Widgets of a section that are seen before it is opened. */
const SEEN = 0;

interface Widget {
  textParagraph?: { text: string; maxLines?: number };
  decoratedText?: { topLabel: string; text: string; wrapText: boolean };
  buttonList?: { buttons: { text: string; onClick: { openLink: { url: string } } }[] };
}

interface Section {
  header?: string;
  collapsible?: boolean;
  uncollapsibleWidgetsCount?: number;
  widgets: Widget[];
}

/** The parts of a message that are rendered. */
interface ChatMessage {
  /** Plain text for notifications of phones. */
  fallbackDescription: string;
  cardsV2: { cardId: string; card: { header: { title: string; subtitle: string }; sections: Section[] } }[];
}

/** Renders a message. */
export function renderCard(outgoing: OutgoingMessage): ChatMessage {
  const render = (message: FittingMessage): ChatMessage => ({
    fallbackDescription: headline(outgoing),
    cardsV2: [
      {
        cardId: 'inquest',
        card: {
          header: { title: stateWords(message), subtitle: 'Inquest' },
          sections: composeCardSections(message),
        },
      },
    ],
  });
  return fitMessage(outgoing.message, render, (form) => Buffer.byteLength(JSON.stringify(form)), MAX_BYTES);
}

function composeCardSections(message: FittingMessage): Section[] {
  const { title, certainty, summary, cause, nextStep, facts, evidence, sections, isRepeated, isCut } =
    message;
  const place = placeLines(message, show).join('');
  const top: Widget[] = [
    { textParagraph: { text: `<b>${show(title)}</b>` } },
    ...[place, show(certainty ?? '')].filter(Boolean).map((text) => ({ textParagraph: { text } })),
    ...(isRepeated ? [{ textParagraph: { text: `<i>${REPEATED}</i>` } }] : []),
    ...(summary.length === 0 ? [] : [{ textParagraph: { text: summary.map(show).join('<br>') } }]),
    ...(cause === null ? [] : [labelledWidget('Cause', cause)]),
    ...(nextStep === null ? [] : [labelledWidget('Next step', nextStep)]),
    ...(evidence.length === 0
      ? []
      : [{ textParagraph: { text: evidence.map(formatCardLink).join('<br>') } }]),
    ...(isCut ? [{ textParagraph: { text: `<i>${cutNote(message)}</i>` } }] : []),
    ...composeButtonsWidget(message),
  ];
  return [
    { widgets: top },
    ...(facts.length === 0 ? [] : [collapsedSection('Details', [composeFactsWidget(facts)])]),
    ...sections.map(({ title: name, text }) =>
      collapsedSection('More', [
        { textParagraph: { text: `<b>${show(name)}</b><br>${show(text).replaceAll('\n', '<br>')}` } },
      ]),
    ),
  ];
}

function composeFactsWidget(facts: FittingMessage['facts']): Widget {
  return {
    textParagraph: { text: facts.map(({ name, value }) => `${show(name)}: ${show(value)}`).join('<br>') },
  };
}

/** `header` is formatted text, so that it holds no text of others. */
function collapsedSection(header: string, widgets: Widget[]): Section {
  return { header, collapsible: true, uncollapsibleWidgetsCount: SEEN, widgets };
}

function labelledWidget(topLabel: string, text: string): Widget {
  return { decoratedText: { topLabel, text: show(text), wrapText: true } };
}

function formatCardLink({ title, url }: { title: string; url: string }): string {
  return `<a href="${escapeHtml(url)}">${show(title)}</a>`;
}

function composeButtonsWidget(message: FittingMessage): Widget[] {
  const buttons = listMessageButtons(message).map(({ title, url }) => ({
    text: show(title),
    onClick: { openLink: { url } },
  }));
  return buttons.length === 0 ? [] : [{ buttonList: { buttons } }];
}

const show = (text: string): string => escapeHtml(inertText(text));
