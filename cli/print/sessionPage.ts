// Formats a session as a page of text.

import pc from 'picocolors';
import { knownTotal } from '../../shared/client/knownTotal.ts';
import { caveatText } from '../../shared/core/prompts/findings.ts';
import { DEFAULT_TENANT } from '../../shared/core/schema/session.ts';
import { markConfidence } from '../../shared/evidence/statedConfidence.ts';
import type { SessionView } from '../../shared/kits/views/sessionView.ts';
import { dollarsText, durationText } from '../../shared/text/amounts.ts';
import { relatedLine } from '../../shared/wording/alsoFiring.ts';
import { commandFor } from './commandFor.ts';
import { headLines } from './headLines.ts';
import { costText, textPrinter, tokensText } from './printer.ts';
import { reportsText } from './reports.ts';
import { alignColumns, cutToColumns, onOneLine, wrapText } from './textTable.ts';

/** A session and its address in the Firestore console; no address where an emulator stores it. */
type ShownSession = SessionView & { documentUrl?: string | null };

const INDENT = '  ';
/** The width of a page that is not written to a terminal. */
const PLAIN_COLUMNS = 100;

/**
 * The lines of the page.
 * @param columns the width of the terminal. Default: 100.
 * @param now decides which times need a day.
 */
export function sessionPage(
  view: ShownSession,
  columns: number | undefined,
  color: boolean,
  now: Date,
): string[] {
  const c = pc.createColors(color);
  const width = columns ?? PLAIN_COLUMNS;
  const section = (title: string, lines: string[]) =>
    lines.length === 0 ? [] : ['', c.bold(title), ...lines.map((line) => (line === '' ? '' : INDENT + line))];
  const text = (content: string) => wrapText(content, width - INDENT.length);
  return [
    ...listSessionFacts(view, now).flatMap(([name, value]) => {
      const [first = '', ...more] = wrapText(onOneLine(value), width - 12);
      return [`${c.dim(name.padEnd(10))}  ${first}`, ...more.map((line) => `${' '.repeat(12)}${line}`)];
    }),
    ...section(
      'Also firing',
      view.alsoFiring.flatMap((alert) => text(onOneLine(relatedLine(alert)))),
    ),
    ...section('Stages', stageLines(view, width - INDENT.length)),
    ...section(
      'Refused',
      view.refused.flatMap((one) => text(`${one.executionId}  ${onOneLine(one.text)}`)),
    ),
    ...section('Timeline', timelineLines(view, color, width)),
    ...section(
      'Not readable',
      view.unreadable.flatMap(({ code, message }) => text(onOneLine(`${code}: ${message}`))),
    ),
    ...section('Partial result', view.partial === null ? [] : text(view.partial.text)),
    ...section('Summary', view.executiveSummary === null ? [] : text(markConfidence(view.executiveSummary))),
    ...section('Analysis', view.finalAnalysis === null ? [] : text(view.finalAnalysis)),
  ];
}

function listSessionFacts(view: ShownSession, now: Date): [name: string, value: string][] {
  const {
    alert,
    failure,
    deferral,
    cancellation,
    rerunOf,
    fork,
    masked,
    tokens,
    durationMs,
    models,
    steering,
  } = view;
  const { unreadable } = view;
  const since = cancellation?.reason == null ? '' : `: ${cancellation.reason}`;
  const all: [string, string | null][] = [
    ['Session', view.sessionId],
    ['Tenant', view.tenantId === DEFAULT_TENANT ? null : view.tenantId],
    ['User', view.userId],
    ['Name', view.title],
    ...headLines(view, now),
    ['Status', view.status],
    ['Reported', reportsText(view.reports, view)],
    ['Began', alert?.startedAt?.toISOString() ?? null],
    ['About', alert?.summary ?? null],
    ['Link', alert?.url ?? null],
    ['Links', alert?.links.map(({ title, url }) => `${title} ${url}`).join('; ') ?? null],
    ['Seen', view.seenBefore.length === 0 ? null : view.seenBefore.map(seenText).join(', ')],
    ['Runbook', view.runbook === null ? (alert?.runbookUrl ?? null) : runbookText(view.runbook)],
    ['Chain', view.chain],
    ['Rerun of', rerunOf],
    ['Fork of', fork && `${fork.of} at ${fork.event}, ${fork.tools} tools`],
    ['Again', view.reinvestigates && reinvestigatedText(view.reinvestigates)],
    ['Opened', view.createdAt.toISOString()],
    ['Ended', view.endedAt?.toISOString() ?? null],
    ['Duration', durationMs === null ? null : durationText(durationMs)],
    ['Failure', failure && `${failure.code}: ${failure.message}`],
    ['Deferred', deferral && deferralText(deferral)],
    ['Paused', steering.paused && `by ${steering.paused.by} at ${steering.paused.at.toISOString()}`],
    ['Cancelled', cancellation && `by ${cancellation.by} at ${cancellation.at.toISOString()}${since}`],
    [
      'Caveats',
      view.caveats.map(({ executionId, code }) => `${executionId} was ${caveatText(code)}`).join('; '),
    ],
    ['Raise', view.budgetToRaise],
    ['Masked', `${masked.alert} secrets in the alert, ${masked.timeline} in the timeline`],
    ['Tokens', knownTotal(tokens.total, tokensText(tokens), unreadable)],
    ['Cost', knownTotal(view.cost.usd, costText(view.cost), unreadable)],
    ['Models', models.join(', ')],
    ['Document', documentText(view)],
  ];
  return all.filter((fact): fact is [string, string] => fact[1] !== null && fact[1] !== '');
}

/** Where to look at the session in Firestore: its address in the console, or the command for one machine. */
function documentText({ sessionId, documentUrl }: ShownSession): string {
  return documentUrl ?? `${commandFor(DEFAULT_TENANT)()} db get sessions/${sessionId}`;
}

const RUNBOOK_SOURCES = {
  file: 'of the configuration',
  firestore: 'in Firestore',
  link: 'as it was read',
} as const;

function seenText({ sessionId, isSame }: SessionView['seenBefore'][number]): string {
  return `${sessionId} (${isSame ? 'the same alert' : 'a similar one'})`;
}

function reinvestigatedText({
  sessionId,
  isAnalysis,
  text,
}: NonNullable<SessionView['reinvestigates']>): string {
  const confirmed =
    text === null ? 'whose analysis no person confirmed' : 'whose analysis its agents were given';
  return `after ${sessionId}, ${isAnalysis ? confirmed : 'which has no analysis'}`;
}

function runbookText({ name, source }: NonNullable<SessionView['runbook']>): string {
  return `${name}, ${RUNBOOK_SOURCES[source]}`;
}

function deferralText({ reason, startedAt, until, budgets }: NonNullable<SessionView['deferral']>): string {
  if (budgets !== null) return `${reason}; starts when the budget has room`;
  if (until !== null) return `${reason}; starts at ${until.toISOString()}`;
  return startedAt === null ? reason : `${reason}; started at ${startedAt.toISOString()}`;
}

function stageLines({ stages }: SessionView, width: number): string[] {
  const rows = stages.flatMap(({ stageId, status, executions }) => [
    [stageId, status],
    ...executions.map((execution) => [
      `${INDENT.repeat(execution.depth + 1)}${execution.executionId}${execution.depth === 0 ? '' : ` ${execution.agentName}`}`,
      execution.failure === null ? execution.status : `${execution.status} ${execution.failure.code}`,
      `iteration ${execution.countedIteration} of ${execution.maxIterations}`,
      `${execution.toolCalls} calls`,
      execution.durationMs === null ? '-' : durationText(execution.durationMs),
      dollarsText(execution.cost.usd),
      ...execution.openCalls.map(({ name, state }) => `${onOneLine(name)} ${state}`),
      ...(execution.waitsForModelSince === null
        ? []
        : [`waits for the model since ${execution.waitsForModelSince.toISOString()}`]),
    ]),
  ]);
  return alignColumns(rows).map((line) => cutToColumns(line, width));
}

/** The timeline as `watch` prints it, without the texts that have their own section. */
function timelineLines(view: SessionView, color: boolean, width: number): string[] {
  const lines: string[] = [];
  const printer = textPrinter((line) => lines.push(line), color, commandFor(view.tenantId));
  for (const event of view.timeline) {
    const isShownBelow =
      event.content === view.finalAnalysis ||
      event.eventType === 'executive_summary' ||
      (view.partial !== null && event.content === view.partial.text);
    printer.event(isShownBelow ? { ...event, content: '(below)' } : event);
  }
  // Lines with colours are short, and their escape sequences take no columns.
  return lines.map((line) => (line.includes('\u001b') ? line : cutToColumns(line, width - INDENT.length)));
}
