// `list`: lists sessions, newest first.

import { type Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { ALERT_SOURCES } from '../../shared/alerts/sourceNames.ts';
import { parseDuration } from '../../shared/config/units.ts';
import { BY_ENTRY, combinationsOf, MAX_COMBINATIONS } from '../../shared/runtime/views/sessionFilter.ts';
import type { ListedSessions } from '../../shared/runtime/views/tenantSessions.ts';
import { NOT_CHECKED, VERDICTS } from '../../shared/schema/features/verdict.ts';
import { SESSION_STATUSES } from '../../shared/schema/session.ts';
import { listSessions } from '../api/sessions.ts';
import { withApi } from '../api/withApi.ts';
import { type TenantOptions, tenantCommand, wholeNumber } from '../options/commandOptions.ts';
import { DATABASE_HELP } from '../options/project.ts';
import { tableOf } from '../print/sessionTable.ts';
import { escapeHidden, hasColor, report, reportUnreadable, write } from '../process/output.ts';
import { UsageError } from '../process/usageError.ts';

const DEFAULT_LIMIT = 20;
/** A page is held in memory as a whole. */
const MAX_LIMIT = 1_000;

const HELP = `
\`--json\` prints one object a line: sessionId, title, severity, source, place {workload, namespace, cluster,
project}, reports {firing, resolved, acknowledged, joined}, problem {status, at, repeats}, status, chain, createdAt, endedAt, durationMs, cost {usd,
unpricedCalls}, executiveSummary, failure {code, message}, rerunOf, kind, caveats (codes), agents [{agentName, status,
iteration, outageCode}] that run, analysisStart (of an analysis without executiveSummary). Missing values
are null. A cost with + is a lower bound, because a model has no price in prices.yaml.

Firestore reads: one per listed session, two more for the report counts and the problem of an alert with an identity, one for an
analysis without summary, and for each running agent (at most 300). In the default
tenant, each session of other tenants in between is also a read, up to 2,000. --text reads up to 300 candidate sessions and up
to 300 candidate entries of the knowledge base.
`;

interface ListOptions extends TenantOptions {
  limit: number;
  status?: string[];
  source?: string[];
  severity?: string[];
  chain?: string[];
  verdict?: string[];
  since?: Date;
  until?: Date;
  text?: string;
  after?: string;
}

/** Adds the command to the program. */
export function registerList(program: Command): void {
  tenantCommand(program, 'list')
    .option('--limit <number>', `how many, 1 to ${MAX_LIMIT}`, wholeNumber(MAX_LIMIT), DEFAULT_LIMIT)
    .option(
      '--status <names>',
      `only these, separated by commas: ${SESSION_STATUSES.join(', ')}`,
      readNames(SESSION_STATUSES),
    )
    .option(
      '--source <names>',
      'only alerts of these sources, such as alertmanager',
      readNames(ALERT_SOURCES),
    )
    .option(
      '--severity <words>',
      'only alerts of these severities; critical also finds Critical and CRITICAL',
      readNames(),
    )
    .option('--chain <names>', 'only sessions of these chains', readNames())
    .option(
      '--verdict <names>',
      `only sessions with these verdicts: ${[...VERDICTS, NOT_CHECKED].join(', ')}`,
      readNames([...VERDICTS, NOT_CHECKED]),
    )
    .option(
      '--since <when>',
      'opened no earlier: a duration before now (2h, 7d), or a time (2026-11-22)',
      readTime,
    )
    .option('--until <when>', 'opened no later', readTime)
    .option('--text <words>', 'only sessions whose title, alert or findings have these words', readWords)
    .option(
      '--after <page>',
      'only sessions after this one: the value that the last page printed, or a session',
      readAfter,
    )
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(listAndPrint);
}

async function listAndPrint(options: ListOptions): Promise<void> {
  const { limit, after, status, source, severity, chain, verdict, since, until, text } = options;
  const filter = { status, source, severity, chain, verdict, since, until, text };
  if (combinationsOf(filter) > MAX_COMBINATIONS)
    throw new UsageError(
      `--status, --severity and --chain have more than ${MAX_COMBINATIONS} combinations, and a severity counts for each of its spellings; give fewer values`,
    );
  await withApi(options, async (api) => {
    const behind = after === undefined || isCursor(after) ? after : await api.findSession(after);
    printSessions(await listSessions(api, { ...filter, limit, after: behind }), api.where, options);
  });
}

function printSessions(
  { rows, unreadable, next }: ListedSessions,
  where: string,
  { json }: ListOptions,
): void {
  const colors = pc.createColors(hasColor(process.stdout, process.env));
  const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
  const lines = json
    ? rows.map((row) => escapeHidden(JSON.stringify(row)))
    : tableOf(rows, columns, colors, new Date());
  if (rows.length === 0 && next === null) report(`${where} has no such session`);
  for (const line of lines) write(line);
  unreadable.forEach(reportUnreadable);
  if (next !== null) report(`more sessions: --after ${escapeHidden(next)}`);
}

/** Whether a page cursor is a time or an entry. Ids of sessions have no colons. */
const isCursor = (after: string): boolean => after.includes(':');
const readAfter = (text: string): string =>
  isCursor(text) && !text.startsWith(BY_ENTRY) ? readTime(text).toISOString() : text;

/** @param known the valid names. Absent: any name. */
function readNames(known?: readonly string[]): (text: string) => string[] {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
    if (names.length > 0 && names.every((name) => known?.includes(name) ?? true)) return names;
    const expected = known === undefined ? 'names' : known.join(', ');
    throw new InvalidArgumentError(`It is one or several of ${expected}, separated by commas.`);
  };
}

function readWords(text: string): string {
  if (/[\p{L}\p{N}]/u.test(text)) return text;
  throw new InvalidArgumentError('It is one or several words.');
}

function readTime(text: string): Date {
  const duration = parseDuration(text);
  const time = duration.ok ? Date.now() - duration.value : Date.parse(text);
  const isTime = duration.ok || /^\d{4}-\d\d-\d\d(T|$)/.test(text);
  // Firestore accepts times from the year 1 on; earlier ones would fail there.
  if (isTime && !Number.isNaN(time) && time > Date.UTC(1970)) return new Date(time);
  throw new InvalidArgumentError(
    'It is a duration such as 30m, 2h or 7d, or a time such as 2026-11-22T10:00Z.',
  );
}
