// The portable messages about a session: the same facts for every destination. Pure.

import { placeOf, placeText } from '../../alerts/place.ts';
import {
  type MessageButton,
  type MessageFact,
  type MessageSection,
  type MessageStatus,
  NO_PARTS,
  type PortableMessage,
} from '../../contract/destination.ts';
import { isTerminal } from '../../schema/common.ts';
import type { Approval } from '../../schema/features/approval.ts';
import type { Delivery } from '../../schema/features/delivery.ts';
import type { Outcome } from '../../schema/features/outcome.ts';
import type { Session } from '../../schema/session.ts';
import { causeWords } from '../../text/causeWords.ts';
import { type Elicit, elicitText } from '../../text/elicit.ts';
import { outcomeWords, probeWords } from '../../text/outcomeWords.ts';
import { type ProblemState, problemWords, utcMoment } from '../../text/problemWords.ts';
import { quoteText } from '../../text/quote.ts';
import { valueText } from '../../text/structuredAnswer.ts';
import { verdictWord } from '../../text/verdictWord.ts';
import { verdictSentence } from '../../text/verdictWords.ts';
import { makeVisible } from '../../text/visible.ts';
import type { AnswerField } from './answerFields.ts';
import { approvalButtons } from './approvalButtons.ts';
import { findCommand } from './findCommand.ts';

/** The documents that a message shows. */
export interface MessageSources {
  session: Session;
  /** The state of its problem; null without an alert. */
  problem: ProblemState | null;
  delivery: Pick<Delivery, 'event' | 'destination' | 'isRepeated'>;
  /** For the events `approval` and `decided`. */
  approval?: Approval | undefined;
  /** For the event `asked`. */
  asked?: Elicit | undefined;
  /** The text for the event `answer`; null if the question was not answered. Absent: as null. */
  answer?: string | null | undefined;
  /** For the event `outcome`. */
  outcome?: Outcome | undefined;
  /** Fields of structured answers, for events about a result. Absent: none. */
  fields?: readonly AnswerField[] | undefined;
  /** Address of the dashboard, without a slash at its end; null without one. */
  publicUrl: string | null;
  now: Date;
}

const MAX_TITLE = 200;
const MAX_TEXT = 300;
const MAX_LINE = 500;
const MAX_LINES = 4;
const MAX_LINKS = 10;
const MAX_SECTION = 30_000;

/** The message of a delivery, as the session is now. */
export function messageOf(sources: MessageSources): PortableMessage {
  const { session, delivery, approval, publicUrl } = sources;
  const { isRepeated } = delivery;
  const title = oneLine(session.title ?? session.alert?.title ?? session.sessionId, MAX_TITLE);
  const link = publicUrl === null ? null : `${publicUrl}/s/${encodeURIComponent(session.sessionId)}`;
  const problem = problemIn(sources);
  const location = locationOf(session);
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
    default: {
      const status = statusOf(session);
      const command = commandOf(session);
      const summary = summaryOf(session, command);
      const certainty = certaintyOf(session);
      // A phone shows few words, and an unknown state is none worth them.
      const badge = problem?.status === 'unknown' ? null : problem?.text;
      const states = [badge, workWords(session)].filter(Boolean).join(' · ');
      const subject = location === null ? title : `${title} (${location})`;
      const result = session.verdict === null ? summary[0] : certainty;
      const text = oneLine([states, subject, result].filter(Boolean).join(': '), MAX_TEXT);
      const evidence = isTerminal(session.status) ? linksOf(session) : [];
      return {
        ...common,
        status,
        text,
        command,
        certainty,
        summary,
        evidence,
        facts: factsOf(sources),
        cause: causeOf(session),
        nextStep: nextStepOf(session),
      };
    }
  }
}

function problemIn({ problem, now }: MessageSources): PortableMessage['problem'] {
  if (problem === null) return null;
  const words = problemWords(problem, (at) => utcMoment(at, now));
  return { status: problem.status, text: words === 'Unknown' ? 'State unknown' : words };
}

/** Where the problem is: `shop/checkout · shop-prod`. */
function locationOf({ alert }: Session): string | null {
  const text = alert === null ? '' : placeText(placeOf(alert));
  return text === '' ? null : oneLine(text, MAX_TEXT);
}

/** The command to run now. One that does not fit, or has hidden characters, would be copied wrong. */
function commandOf({ status, executiveSummary, finalAnalysis }: Session): string | null {
  const command = isTerminal(status) ? findCommand(executiveSummary, finalAnalysis) : null;
  return command === null || oneLine(command, MAX_LINE) !== command ? null : command;
}

/** How sure the result is: the sentence of its verdict. Of a session without a result, how far the work is. */
function certaintyOf(session: Session): string {
  const { status, verdict } = session;
  const judged = verdict === null ? 'Not checked.' : verdictSentence(verdict);
  if (status === 'completed')
    return oneLine(isScripted(session) ? `${workWords(session)}.` : judged, MAX_LINE);
  return oneLine(verdict === null ? `${workWords(session)}.` : `${workWords(session)}. ${judged}`, MAX_LINE);
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

/** The state of a session as a message shows it. */
function statusOf({ status }: Session): MessageStatus {
  return status === 'in_progress' || status === 'cancelling' ? 'running' : status;
}

/** The causes that a confirmed or likely verdict names; null without one. */
function causeOf({ status, verdict }: Session): string | null {
  if (!isTerminal(status) || !['confirmed', 'likely'].includes(verdict?.value ?? '')) return null;
  const causes = (verdict?.causes ?? []).filter(({ component }) => component !== null).map(causeWords);
  return causes.length === 0 ? null : oneLine(causes.join(', '), MAX_LINE);
}

/** The state of the work in two or three words. */
function workWords(session: Session): string {
  const { status } = session;
  switch (status) {
    case 'in_progress':
    case 'cancelling':
      return 'Investigating';
    case 'completed':
      return isScripted(session) ? 'Answered by a script' : 'Investigated';
    case 'failed':
      return 'Investigation failed';
    case 'timed_out':
      return 'Investigation timed out';
    case 'cancelled':
      return 'Investigation cancelled';
    case 'deferred':
      return 'Not investigated yet';
  }
}

const isScripted = ({ caveats }: Session): boolean => caveats.some(({ code }) => code === 'SCRIPTED');

/** Up to four lines: the executive summary without its command, else the start of the analysis, else the state. */
function summaryOf(session: Session, command: string | null): string[] {
  const { status, executiveSummary, finalAnalysis, failure, deferral, alert, verdict } = session;
  if (status === 'deferred') return splitLines(deferral === null ? '' : `Deferred: ${deferral.reason}`);
  if (!isTerminal(status)) return splitLines(alert?.summary ?? '');
  if (executiveSummary !== null) {
    const word = verdict === null ? '' : `${verdictWord(verdict.value)}: `;
    const lines = executiveSummary.replace(word, '').split('\n');
    return splitLines(lines.filter((line) => command === null || !line.includes(command)).join('\n'));
  }
  const failed = failure === null ? [] : [`${failure.code}: ${failure.message}`];
  return splitLines([...failed, finalAnalysis ?? ''].join('\n'));
}

function splitLines(text: string): string[] {
  return makeVisible(text)
    .split('\n')
    .map((line) => quoteText(line.trim(), MAX_LINE - 1))
    .filter((line) => line !== '')
    .slice(0, MAX_LINES);
}

function oneLine(text: string, most: number): string {
  return quoteText(makeVisible(text).replace(/\s+/g, ' ').trim() || '(no title)', most - 1);
}

function nextStepOf({ status, sessionId }: Session): string | null {
  return status === 'deferred' ? `To start it: inquest start-deferred ${sessionId}` : null;
}

function factsOf({ session, fields = [], now }: MessageSources): MessageFact[] {
  const { alert, chain, createdAt, endedAt, currentStageId, status } = session;
  const minutes = Math.round(((endedAt ?? now).getTime() - createdAt.getTime()) / 60_000);
  const facts: [string, string | null][] = [
    ...fields.map(({ name, value }): [string, string] => [name, valueText(value)]),
    ['Severity', alert?.severity ?? null],
    ['Source', alert?.source ?? null],
    ['Chain', chain.name],
    ['Stage', status === 'in_progress' ? currentStageId.replace(/^\d+-/, '') : null],
    ['Model', isScripted(session) ? 'none: a script answered that does not name this alert' : null],
    ['Took', endedAt === null ? null : minutes < 1 ? 'less than a minute' : `${minutes} min`],
  ];
  return facts.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [{ name, value: oneLine(value, MAX_TITLE) }],
  );
}

/** Pages that the alert's source names, as the dashboard links them: HTTPS and HTTP only. */
function linksOf({ alert, runbook }: Session): PortableMessage['evidence'] {
  if (alert === null) return [];
  const found = [
    ...(alert.url === null ? [] : [{ title: 'Alert', url: alert.url }]),
    ...(alert.runbookUrl === null || runbook === null ? [] : [{ title: 'Runbook', url: alert.runbookUrl }]),
    ...alert.links,
  ];
  return found
    .filter(({ url }) => /^https?:$/.test(URL.parse(url)?.protocol ?? '') && url.length <= 2_000)
    .filter(({ url }) => !url.includes('[masked:'))
    .slice(0, MAX_LINKS)
    .map(({ title, url }) => ({ title: oneLine(title, 100), url: new URL(url).href }));
}

function analysisSections({ finalAnalysis, partial }: Session): MessageSection[] {
  const section = (title: string, text: string | null | undefined): MessageSection[] =>
    text ? [{ title, text: quoteText(makeVisible(text), MAX_SECTION), isCode: false }] : [];
  return [...section('Analysis', finalAnalysis), ...section('Partial result', partial?.text)];
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
  const nextStep = `Decide before ${until.toISOString().slice(0, 16).replace('T', ' ')} UTC: inquest approve ${approvalId}, or inquest deny ${approvalId}`;
  return { status: 'waiting', text, summary: [text], sections, buttons, nextStep };
}
