// The portable messages about a session: the same facts for every destination. Pure.

import { locateAlertPlace, placeText } from '../../../alerts/alertLocation.ts';
import { readSessionAlert } from '../../../alerts/schema/alert.ts';
import {
  type MessageButton,
  type MessageSection,
  NO_PARTS,
  type PortableMessage,
} from '../../../contract/destination.ts';
import type { Approval } from '../../../core/schema/approval.ts';
import type { Session } from '../../../core/schema/session.ts';
import { outcomeWords, probeWords } from '../../../evidence/outcomeWords.ts';
import { markConfidence } from '../../../evidence/statedConfidence.ts';
import type { Outcome } from '../../../kits/alerts/outcome.ts';
import { oneLine } from '../../../kits/deliveries/oneLine.ts';
import { quoteText } from '../../../text/cut.ts';
import { type Elicit, elicitText } from '../../../text/elicit.ts';
import { makeVisible } from '../../../text/hiddenCharacters.ts';
import { problemWords, utcMoment } from '../../../text/problemWords.ts';
import { minuteText } from '../../../text/times.ts';
import { approvalButtons } from './approvalButtons.ts';
import { MAX_TEXT, MAX_TITLE, type MessageSources, splitLines } from './messageParts.ts';
import { stateContents } from './stateContents.ts';

const MAX_SECTION = 30_000;

/** The message of a delivery, as the session is now. */
export function composeDeliveryMessage(sources: MessageSources): PortableMessage {
  const { session, delivery, approval, publicUrl } = sources;
  const { isRepeated } = delivery;
  const title = oneLine(session.title ?? readSessionAlert(session)?.title ?? session.sessionId, MAX_TITLE);
  const link = publicUrl === null ? null : `${publicUrl}/s/${encodeURIComponent(session.sessionId)}`;
  const problem = problemIn(sources);
  const location = describeLocation(session);
  // A part of a result stays as it is, and has no state that can become false.
  const reply = { ...NO_PARTS, status: 'notice' as const, title, link, isRepeated };
  const common = { ...reply, problem, location };
  switch (delivery.event) {
    case 'approval':
    case 'decided':
      return { ...common, ...approvalContents(sources, approval) };
    case 'asked':
      return { ...common, ...questionContents(sources.asked), status: 'notice' };
    case 'details': {
      const text = `Analysis: ${title}`;
      const sections = analysisSections(session);
      return { ...reply, text, sections };
    }
    case 'outcome':
      return { ...common, ...outcomeContents(sources.outcome, title), status: 'notice' };
    case 'answer': {
      const answered =
        sources.answer ?? 'The question was not answered. The page of the session has the cause.';
      const text = oneLine(answered, MAX_TEXT);
      const sections = [
        { title: 'Answer', text: quoteText(makeVisible(answered), MAX_SECTION), isCode: false },
      ];
      return { ...reply, text, sections };
    }
    default:
      return { ...common, ...stateContents(sources, common) };
  }
}

function problemIn({ problem, now }: MessageSources): PortableMessage['problem'] {
  if (problem === null) return null;
  const words = problemWords(problem, (at) => utcMoment(at, now));
  return { status: problem.status, text: words === 'Unknown' ? 'State unknown' : words };
}

/** Where the problem is: `shop/checkout · shop-prod`. */
function describeLocation(session: Session): string | null {
  const alert = readSessionAlert(session);
  const text = alert === null ? '' : placeText(locateAlertPlace(alert));
  return text === '' ? null : oneLine(text, MAX_TEXT);
}

/** A question of an agent to people, and how it is answered. */
function questionContents(asked: Elicit | undefined): Pick<PortableMessage, 'text' | 'summary' | 'nextStep'> {
  if (asked === undefined)
    return { text: 'A question that is no longer stored', summary: [], nextStep: null };
  return {
    text: oneLine(`An agent asks: ${asked.question}`, MAX_TEXT),
    summary: splitLines(elicitText(asked)),
    nextStep: 'Answer on the page of the session, or below this message with a mention of the app.',
  };
}

/** The outcome, its reason, and the probes with their latest results. */
function outcomeContents(
  outcome: Outcome | undefined,
  title: string,
): Pick<PortableMessage, 'text' | 'summary' | 'facts'> {
  const { value, reason, probes = [], checks = [] } = outcome ?? {};
  const why = reason ?? 'It was not checked.';
  const results = checks.at(-1)?.results ?? [];
  return {
    text: oneLine(`Outcome ${outcomeWords(value ?? 'unknown')}: ${title}: ${why}`, MAX_TEXT),
    summary: splitLines(why),
    facts: probes.map((probe, index) => ({
      name: probe.id.slice(0, 40),
      value: oneLine(probeWords(probe, results[index]?.holds ?? null), MAX_TITLE),
    })),
  };
}

function analysisSections({ finalAnalysis, partial }: Session): MessageSection[] {
  const section = (title: string, text: string | null | undefined): MessageSection[] =>
    text ? [{ title, text: quoteText(makeVisible(text), MAX_SECTION), isCode: false }] : [];
  return [
    ...section('Analysis', finalAnalysis && markConfidence(finalAnalysis)),
    ...section('Partial result', partial?.text),
  ];
}

const DECISIONS: Record<Exclude<Approval['status'], 'pending'>, string> = {
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired without a decision',
  ended: 'Closed: the agent ended before a decision',
};

function approvalContents(
  { publicUrl, session, delivery }: MessageSources,
  approval: Approval | undefined,
): Pick<PortableMessage, 'status' | 'text' | 'summary' | 'sections' | 'buttons' | 'nextStep'> {
  const gone = { status: 'notice' as const, summary: [], sections: [], buttons: [], nextStep: null };
  if (approval === undefined) return { ...gone, text: 'An approval that is no longer stored' };
  const { toolName, status, decidedBy, reason, until, approvalId, agentName } = approval;
  const sections = [{ title: toolName, text: makeVisible(approval.arguments), isCode: true }];
  if (status !== 'pending') {
    const by = decidedBy === null ? '' : ` by ${decidedBy}`;
    const why = reason === null ? '' : `: ${reason}`;
    const text = oneLine(`${DECISIONS[status]}${by}: ${toolName}${why}`, MAX_TEXT);
    return { status: 'notice', text, summary: [text], sections, buttons: [], nextStep: null };
  }
  const text = oneLine(`Approval needed: ${agentName} wants to run ${toolName}`, MAX_TEXT);
  const buttons: MessageButton[] = approvalButtons(delivery.destination, approval, session, publicUrl);
  const nextStep = `Decide before ${minuteText(until)}: inquest approve ${approvalId}, or inquest deny ${approvalId}`;
  return { status: 'waiting', text, summary: [text], sections, buttons, nextStep };
}
