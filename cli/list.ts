// `list`: past and running sessions, the newest first.

import { type Command, InvalidArgumentError } from 'commander';
import pc from 'picocolors';
import { parseDuration } from '../shared/config/units.ts';
import { SESSION_STATUSES } from '../shared/schema/session.ts';
import { hasColor } from './color.ts';
import { escapeHidden } from './database/documentText.ts';
import { checkDatabaseIsNamed, DATABASE_HELP } from './project.ts';
import { findSession } from './session/findSession.ts';
import { ROW_FIELDS, sessionRow, tableOf } from './session/sessionRow.ts';
import { withSessions } from './session/withSessions.ts';
import { tenantOption } from './tenantOption.ts';

const DEFAULT_LIMIT = 20;
/** A page is in memory at once. */
const MAX_LIMIT = 1_000;

const HELP = `
Each session that is listed is one document read, or two when its alert has an identity: the second one says how often it was
reported; in the default tenant also each one of another tenant between them. \`--json\` prints one object a line: sessionId, title, severity, source, reports {firing, resolved, acknowledged},
status, chain, createdAt, endedAt, durationMs, cost {usd, unpricedCalls}, rerunOf; what is not stored is null. A sum with +
is the least that it cost, because a model has no price in prices.yaml.
`;

interface ListOptions {
  limit: number;
  status?: string[];
  since?: Date;
  after?: string;
  tenant: string;
  json?: boolean;
}

/** Adds the command to the program. */
export function registerList(program: Command): void {
  program
    .command('list')
    .description('list past and running sessions, the newest first')
    .option('--limit <number>', `how many, 1 to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .option(
      '--status <names>',
      `only these, separated by commas: ${SESSION_STATUSES.join(', ')}`,
      readStatuses,
    )
    .option(
      '--since <when>',
      'opened no earlier: a duration before now (2h, 7d), or a time (2026-11-22)',
      readSince,
    )
    .option('--after <session>', 'only those behind this one: the last of the page before')
    .addOption(tenantOption())
    .option('--json', 'print one JSON object a line')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(list);
}

async function list({ limit, status, since, after, tenant, json }: ListOptions): Promise<void> {
  checkDatabaseIsNamed(process.env);
  await withSessions({ tenant }, async ({ sessions, reportsOf, where }) => {
    const found = await sessions.latest({
      field: 'createdAt',
      from: since,
      having: status && [{ field: 'status', oneOf: status }],
      afterId: after === undefined ? undefined : await findSession(after, sessions, where),
      limit,
      fields: ROW_FIELDS,
    });
    const now = new Date();
    const plain = found.map((document) => sessionRow(document, now));
    const repeated = plain.filter(({ hasIdentity }) => hasIdentity).map(({ sessionId }) => sessionId);
    const reports = await reportsOf(repeated);
    const rows = plain.map(({ hasIdentity: _, ...row }) => ({
      ...row,
      reports: reports.get(row.sessionId) ?? null,
    }));
    const colors = pc.createColors(hasColor(process.stdout, process.env));
    const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
    const lines = json
      ? rows.map((row) => escapeHidden(JSON.stringify(row)))
      : tableOf(rows, columns, colors);
    if (rows.length === 0) return report(`${where} has no such session`);
    for (const line of lines) process.stdout.write(`${line}\n`);
    if (rows.length === limit)
      report(`there may be more: --after ${escapeHidden(rows.at(-1)?.sessionId ?? '')}`);
  });
}

const report = (line: string): void => void process.stderr.write(`${line}\n`);

function readLimit(text: string): number {
  const limit = Number(text);
  if (/^\d+$/.test(text) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new InvalidArgumentError(`It is a number from 1 to ${MAX_LIMIT}.`);
}

function readStatuses(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  const known: readonly string[] = SESSION_STATUSES;
  if (names.every((name) => known.includes(name))) return [...new Set(names)];
  throw new InvalidArgumentError(`It is one or several of ${known.join(', ')}, separated by commas.`);
}

function readSince(text: string): Date {
  const duration = parseDuration(text);
  const time = duration.ok ? Date.now() - duration.value : Date.parse(text);
  const isTime = duration.ok || /^\d{4}-\d\d-\d\d(T|$)/.test(text);
  // Firestore's times begin with the year 1.
  if (isTime && !Number.isNaN(time) && time > Date.UTC(1970)) return new Date(time);
  throw new InvalidArgumentError(
    'It is a duration such as 30m, 2h or 7d, or a time such as 2026-11-22T10:00Z.',
  );
}
