// Builds the knowledge base entry of an ended session. Pure.

import { readSessionAlert } from '../alerts/schema/alert.ts';
import { reinvestigationPart } from '../alerts/schema/reinvestigation.ts';
import { runbookPart } from '../alerts/schema/usedRunbook.ts';
import type { Execution } from '../core/schema/execution.ts';
import { readPart } from '../core/schema/parts.ts';
import type { Session } from '../core/schema/session.ts';
import { quoteText } from '../text/cut.ts';
import { limitHead } from '../text/limitText.ts';
import { entryTrigrams } from './entryText.ts';
import {
  type Knowledge,
  type KnowledgeLink,
  MAX_LINKS,
  type Origin,
  toKnowledgeKey,
  UNREVIEWED,
} from './knowledge.ts';
import { findSections } from './sections.ts';
import { seenPart } from './seenSession.ts';

/** Prefix of the keys of such entries. Users cannot write such keys. */
export const SESSION_KEY_PREFIX = 'session-';
/** How long an entry is found: alerts that come back after a year are new ones. */
const KEPT_MS = 365 * 24 * 3600 * 1000;
/** UTF-8 bytes of a section of the analysis, or of all of it where it has no sections. */
const MAX_SECTION_BYTES = 3_000;
const MAX_ANALYSIS_BYTES = 8_000;
const MAX_TITLE = 290;

/** The key of the entry that a session leaves. */
export const sessionEntryKey = (sessionId: string): string =>
  toKnowledgeKey(`${SESSION_KEY_PREFIX}${sessionId}`);

/**
 * The entry: problem, cause, evidence and fix from the analysis, identity and labels of the alert. Undefined
 * for a session without findings, and for one without an alert.
 * @param executions all executions of its stages, with their descendants.
 * @param plain removes the marks of secrets from a text: they are valid only in their own session.
 */
export function sessionEntry(
  session: Session,
  executions: readonly Execution[],
  now: Date,
  plain: (text: string) => string,
): Knowledge | undefined {
  const { sessionId, finalAnalysis, tenantId, userId, kind } = session;
  const alert = readSessionAlert(session);
  if (kind !== 'investigation' || alert === null || finalAnalysis === null) return undefined;
  const key = sessionEntryKey(sessionId);
  const isPlain = (text: string) => plain(text) === text;
  const { identity } = alert;
  const described = {
    key,
    title: quoteText(plain(alert.title), MAX_TITLE),
    text: plain(composeSessionText(session, finalAnalysis)),
    labels: Object.fromEntries(Object.entries(alert.labels).filter((pair) => pair.every(isPlain))),
  };
  return {
    ...described,
    tenantId,
    kind: 'session',
    links: listSessionLinks(session),
    session: composeOrigin(session, executions, identity !== null && isPlain(identity) ? identity : null),
    trigrams: entryTrigrams(described),
    embedding: null,
    embeddingModel: null,
    userId,
    updatedBy: `session ${sessionId}`,
    updatedAt: now,
    expireAt: new Date(now.getTime() + KEPT_MS),
  };
}

/** Items of each list of an origin. */
const MAX_ITEMS = 100;

function composeOrigin(session: Session, executions: readonly Execution[], identity: string | null): Origin {
  const again = readPart(reinvestigationPart, session);
  return {
    ...UNREVIEWED,
    sessionId: session.sessionId,
    identity,
    hosts: distinctItems(executions.flatMap(({ reads }) => reads.servers)),
    evidence: distinctItems(
      executions.flatMap(({ executionId, reads }) => (reads.servers.length === 0 ? [] : [executionId])),
    ),
    shown: distinctItems([
      ...(readPart(seenPart, session)?.seenBefore ?? []).map(({ key }) => key),
      ...(again === undefined || again.text === null ? [] : [sessionEntryKey(again.sessionId)]),
      ...executions.flatMap(({ reads }) => reads.entries),
    ]),
  };
}

function distinctItems(items: readonly string[]): string[] {
  return [...new Set(items)].slice(0, MAX_ITEMS);
}

function composeSessionText(session: Session, finalAnalysis: string): string {
  const { status, title, executiveSummary, caveats, failure } = session;
  const {
    title: alertTitle,
    severity,
    summary,
  } = readSessionAlert(session) ?? { title: '', severity: null, summary: null };
  const wrong = [
    `What was wrong: ${alertTitle}${severity === null ? '' : ` (${severity})`}`,
    ...(summary === null ? [] : [summary]),
    ...(title === null ? [] : [`Named: ${title}`]),
  ];
  const outcome = [
    `Outcome: ${status}${failure === null ? '' : ` (${failure.code})`}`,
    ...(caveats.length === 0
      ? []
      : [`weaker than it should be: ${caveats.map(({ code }) => code).join(', ')}`]),
  ].join('; ');
  const sections = findSections(finalAnalysis).map(
    ({ name, text }) => `${name}: ${limitHead(text, MAX_SECTION_BYTES)}`,
  );
  return [
    wrong.join('\n'),
    outcome,
    ...(executiveSummary === null ? [] : [`Summary: ${executiveSummary}`]),
    ...(sections.length > 0 ? sections : [`Analysis: ${limitHead(finalAnalysis, MAX_ANALYSIS_BYTES)}`]),
  ].join('\n\n');
}

/** To the runbook it had, and to the sessions that it was like. */
function listSessionLinks(session: Session): KnowledgeLink[] {
  const runbook = readPart(runbookPart, session);
  const named = [
    ...(runbook === undefined || runbook.source === 'link' ? [] : [{ key: runbook.name, type: 'runbook' }]),
    ...(readPart(seenPart, session)?.seenBefore ?? []).map(({ key }) => ({ key, type: 'seen-before' })),
  ];
  return named
    .map(({ key, type }) => ({ key: toKnowledgeKey(key), type }))
    .filter(({ key }) => key !== '')
    .slice(0, MAX_LINKS);
}
