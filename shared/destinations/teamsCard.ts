// The Adaptive Card of a message, version 1.5 within 28 kB. Text of others is in `TextRun`, which has no
// markdown. https://adaptivecards.io/explorer/RichTextBlock.html

import type { MessageStatus, OutgoingMessage, PortableMessage } from '../contract/destination.ts';
import { type FittingMessage, fitMessage } from './render/fitMessage.ts';
import { inertText } from './render/inertText.ts';
import {
  commandLabel,
  cutNote,
  headline,
  listMessageButtons,
  PLACE_GAP,
  REPEATED,
  stateWords,
} from './render/messageLines.ts';

/** Bytes of the card: 28 kB, with a margin for fields that the workflow adds. */
const MAX_BYTES = 26_000;
/**
 * https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-actions: at most six
 * actions.
 */
const MAX_ACTIONS = 6;

const COLORS: Record<MessageStatus, string> = {
  running: 'accent',
  waiting: 'warning',
  completed: 'good',
  failed: 'attention',
  cancelled: 'default',
  timed_out: 'attention',
  deferred: 'default',
  notice: 'default',
};
const PROBLEM_COLORS: Record<NonNullable<PortableMessage['problem']>['status'], string> = {
  firing: 'attention',
  resolved: 'good',
  acknowledged: 'warning',
  test: 'default',
  unknown: 'default',
};

type Element = Record<string, unknown>;

/** The body of the request to a workflow. */
interface TeamsMessage {
  type: 'message';
  /** The text of notifications. */
  summary: string;
  attachments: { contentType: string; contentUrl: null; content: Element }[];
}

/** Renders a message. */
export function renderAdaptiveCard(outgoing: OutgoingMessage): TeamsMessage {
  const render = (message: FittingMessage): TeamsMessage => ({
    type: 'message',
    summary: headline(outgoing),
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: composeTeamsCard(message, headline(outgoing)),
      },
    ],
  });
  return fitMessage(outgoing.message, render, (form) => Buffer.byteLength(JSON.stringify(form)), MAX_BYTES);
}

function composeTeamsCard(message: FittingMessage, fallbackText: string): Element {
  const { title, certainty, summary, cause, nextStep, facts, evidence, sections, isRepeated, isCut } =
    message;
  const body = [
    paragraphElement([...stateRuns(message), { ...textRun(`: ${title}`), weight: 'bolder', size: 'large' }]),
    ...placeElements(message),
    ...(certainty === null ? [] : [paragraphElement([textRun(certainty)])]),
    ...(isRepeated ? [noteElement(REPEATED)] : []),
    ...summary.map((line) => paragraphElement([textRun(line)])),
    ...(cause === null ? [] : [labelledElement('Cause', cause)]),
    ...(nextStep === null ? [] : [labelledElement('Next step', nextStep)]),
    ...facts.map(({ name, value }) => ({
      ...paragraphElement([textRun(`${name}: ${value}`)]),
      spacing: 'none',
    })),
    ...evidence.map(({ title: name, url }) =>
      paragraphElement([{ ...textRun(name), selectAction: { type: 'Action.OpenUrl', url } }]),
    ),
    ...sections.flatMap(({ title: name, text, isCode }) => [
      paragraphElement([{ ...textRun(name), weight: 'bolder' }]),
      paragraphElement([{ ...textRun(text), ...(isCode && { fontType: 'monospace' }) }]),
    ]),
    ...(isCut ? [noteElement(cutNote(message))] : []),
  ];
  return {
    type: 'AdaptiveCard',
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    version: '1.5',
    fallbackText,
    msteams: { width: 'Full' },
    body,
    actions: listMessageButtons(message)
      .slice(0, MAX_ACTIONS)
      .map((page) => ({ type: 'Action.OpenUrl', title: inertText(page.title), url: page.url })),
  };
}

/** The state of the problem, without an alert that of the work. */
function stateRuns(message: FittingMessage): Element[] {
  const { problem, status } = message;
  const color = problem === null ? COLORS[status] : PROBLEM_COLORS[problem.status];
  return [{ ...textRun(stateWords(message)), weight: 'bolder', size: 'large', color }];
}

/** The place of the problem, and the command to run now. */
function placeElements(message: FittingMessage): Element[] {
  const { location, command } = message;
  const gap = location === null ? '' : PLACE_GAP;
  const runs = [
    ...(location === null ? [] : [textRun(location)]),
    ...(command === null
      ? []
      : [textRun(`${gap}${commandLabel(message)}`), { ...textRun(command), fontType: 'monospace' }]),
  ];
  return runs.length === 0 ? [] : [paragraphElement(runs)];
}

function paragraphElement(inlines: Element[]): Element {
  return { type: 'RichTextBlock', inlines };
}

/** A text without markup. Teams shows an empty run as an error. */
function textRun(text: string): Element {
  return { type: 'TextRun', text: inertText(text) || '-' };
}

function labelledElement(label: string, text: string): Element {
  return paragraphElement([{ ...textRun(`${label}: `), weight: 'bolder' }, textRun(text)]);
}

function noteElement(text: string): Element {
  return paragraphElement([{ ...textRun(text), italic: true, isSubtle: true }]);
}
