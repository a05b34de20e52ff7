// The message parts for a session's state: certainty of its result, next steps, and facts. Pure.

import { readSessionAlert } from '../../../alerts/schema/alert.ts';
import { runbookPart } from '../../../alerts/schema/usedRunbook.ts';
import type { MessageFact, MessageStatus, PortableMessage } from '../../../contract/destination.ts';
import { isTerminal } from '../../../core/schema/common.ts';
import { readPart } from '../../../core/schema/parts.ts';
import type { Session } from '../../../core/schema/session.ts';
import { causeWords } from '../../../evidence/causeWords.ts';
import { verdictPart } from '../../../evidence/schema/verdict.ts';
import { markConfidence } from '../../../evidence/statedConfidence.ts';
import { verdictSentence } from '../../../evidence/verdictWords.ts';
import { findCommand } from '../../../kits/deliveries/findCommand.ts';
import { MAX_LINE, oneLine } from '../../../kits/deliveries/oneLine.ts';
import { valueText } from '../../../text/structuredAnswer.ts';
import { verdictWord } from '../../../text/verdictWord.ts';
import { MAX_TEXT, MAX_TITLE, type MessageSources, splitLines } from './messageParts.ts';

const MAX_LINKS = 10;

/** The state of a session, as it is now. @param head the first lines of the message. */
export function stateContents(
  sources: MessageSources,
  { title, problem, location }: Pick<PortableMessage, 'title' | 'problem' | 'location'>,
): Omit<PortableMessage, 'title' | 'problem' | 'location' | 'sections' | 'buttons' | 'link' | 'isRepeated'> {
  const { session } = sources;
  const isEnded = isTerminal(session.status);
  const { command, rest } = findCommand(session.executiveSummary, isEnded ? session.finalAnalysis : null);
  const summary = summarizeState(session, rest);
  const certainty = describeCertainty(session);
  // A phone shows few words, and an unknown state is none worth them.
  const badge = problem?.status === 'unknown' ? null : problem?.text;
  const states = [badge, workWords(session)].filter(Boolean).join(' · ');
  const subject = location === null ? title : `${title} (${location})`;
  const verdict = readPart(verdictPart, session);
  // The certainty of work that did not complete starts with the state, which the sentence has already.
  const judged = verdict && session.status !== 'completed' ? verdictSentence(verdict) : certainty;
  const result = verdict === undefined ? summary[0] : judged;
  return {
    status: toMessageStatus(session),
    text: oneLine([states, subject, result].filter(Boolean).join(': '), MAX_TEXT),
    command: isEnded ? command : null,
    certainty,
    summary,
    evidence: isEnded ? listSourceLinks(session) : [],
    facts: listMessageFacts(sources),
    cause: joinVerdictCauses(session),
    nextStep: suggestNextStep(session),
  };
}

/** The certainty of the result: its verdict's sentence. Without a result: the progress. */
function describeCertainty(session: Session): string {
  const { status } = session;
  const verdict = readPart(verdictPart, session);
  const judged = verdict === undefined ? 'Not checked.' : verdictSentence(verdict);
  if (status === 'completed')
    return oneLine(isScripted(session) ? `${workWords(session)}.` : judged, MAX_LINE);
  return oneLine(
    verdict === undefined ? `${workWords(session)}.` : `${workWords(session)}. ${judged}`,
    MAX_LINE,
  );
}

function toMessageStatus({ status }: Session): MessageStatus {
  return status === 'in_progress' || status === 'cancelling' ? 'running' : status;
}

/** The causes that a confirmed or likely verdict names; null without one. */
function joinVerdictCauses(session: Session): string | null {
  const verdict = readPart(verdictPart, session);
  if (!isTerminal(session.status) || !['confirmed', 'likely'].includes(verdict?.value ?? '')) return null;
  const causes = (verdict?.causes ?? []).filter(({ component }) => component !== null).map(causeWords);
  return causes.length === 0 ? null : oneLine(causes.join(', '), MAX_LINE);
}

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

/** Up to four lines: the executive summary without command, else the analysis's start, else the state. */
function summarizeState(session: Session, rest: string | null): string[] {
  const { status, finalAnalysis, failure, deferral } = session;
  const alert = readSessionAlert(session);
  if (status === 'deferred') return splitLines(deferral === null ? '' : `Deferred: ${deferral.reason}`);
  if (!isTerminal(status)) return splitLines(alert?.summary ?? '');
  if (rest !== null) {
    const verdict = readPart(verdictPart, session);
    const word = verdict === undefined ? '' : `${verdictWord(verdict.value)}: `;
    return splitLines(markConfidence(rest.replace(word, '')));
  }
  const failed = failure === null ? [] : [`${failure.code}: ${failure.message}`];
  return splitLines([...failed, markConfidence(finalAnalysis ?? '')].join('\n'));
}

function suggestNextStep({ status, sessionId }: Session): string | null {
  return status === 'deferred' ? `To start it: inquest start-deferred ${sessionId}` : null;
}

function listMessageFacts({ session, fields = [] }: MessageSources): MessageFact[] {
  const { chain, createdAt, endedAt, currentStageId, status } = session;
  const alert = readSessionAlert(session);
  const minutes = endedAt && Math.round((endedAt.getTime() - createdAt.getTime()) / 60_000);
  const facts: [string, string | null][] = [
    ...fields.map(({ name, value }): [string, string] => [name, valueText(value)]),
    ['Severity', alert?.severity ?? null],
    ['Source', alert?.source ?? null],
    ['Chain', chain.name],
    ['Stage', status === 'in_progress' ? currentStageId.replace(/^\d+-/, '') : null],
    ['Model', isScripted(session) ? 'none: a script answered that does not name this alert' : null],
    ['Took', minutes === null ? null : minutes < 1 ? 'less than a minute' : `${minutes} min`],
  ];
  return facts.flatMap(([name, value]) =>
    value === null || value === '' ? [] : [{ name, value: oneLine(value, MAX_TITLE) }],
  );
}

/** Pages that the alert's source names, as the dashboard links them: HTTPS and HTTP only. */
function listSourceLinks(session: Session): PortableMessage['evidence'] {
  const alert = readSessionAlert(session);
  if (alert === null) return [];
  const hasRunbook = readPart(runbookPart, session) !== undefined;
  const found = [
    ...(alert.url === null ? [] : [{ title: 'Alert', url: alert.url }]),
    ...(alert.runbookUrl === null || !hasRunbook ? [] : [{ title: 'Runbook', url: alert.runbookUrl }]),
    ...alert.links,
  ];
  return found
    .filter(({ url }) => /^https?:$/.test(URL.parse(url)?.protocol ?? '') && url.length <= 2_000)
    .filter(({ url }) => !url.includes('[masked:'))
    .slice(0, MAX_LINKS)
    .map(({ title, url }) => ({ title: oneLine(title, 100), url: new URL(url).href }));
}
