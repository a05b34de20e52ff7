// `list`: lists sessions, newest first.

import { InvalidArgumentError, Option } from 'commander';
import pc from 'picocolors';
import { ALERT_SOURCES } from '../../shared/alerts/sources.ts';
import { SESSION_STATUSES } from '../../shared/core/schema/session.ts';
import { NOT_CHECKED, VERDICTS } from '../../shared/evidence/schema/verdict.ts';
import { parseDuration } from '../../shared/text/units.ts';
import { command } from '../api/command.ts';
import { wholeNumber } from '../options/commandOptions.ts';
import { ParameterOption } from '../options/parameterOption.ts';
import { formatSessionTable } from '../print/sessionTable.ts';
import { hasColor } from '../process/output.ts';

/** A list is held in memory as a whole. */
const MAX_LIMIT = 1_000;

const HELP = `
\`--json\` prints one object a line, with the fields of \`GET /v1/sessions\`; missing values are null.
A cost with + is a lower bound, because a model has no price in prices.yaml.

Firestore reads: one per listed session, two more for the report counts and the problem of an alert with an identity, one for an
analysis without summary, and for each agent of a running session (at most 50). --text with another filter, and three filters, read the
sessions that one or two of them find, up to twenty pages.
`;

const option = (flags: string, text: string, read: (given: string) => unknown) =>
  new ParameterOption(flags, text).argParser(read);

const OPTIONS = [
  option('--limit <number>', `how many, 1 to ${MAX_LIMIT}`, wholeNumber(MAX_LIMIT)).default(20),
  option(
    '--status <names>',
    `only these, separated by commas: ${SESSION_STATUSES.join(', ')}`,
    readNames(SESSION_STATUSES),
  ),
  option('--source <names>', 'only alerts of these sources, such as alertmanager', readNames(ALERT_SOURCES)),
  option(
    '--severity <words>',
    'only alerts of these severities; critical also finds Critical and CRITICAL',
    readNames(),
  ),
  option('--chain <names>', 'only sessions of these chains', readNames()),
  option(
    '--verdict <names>',
    `only sessions with these verdicts: ${[...VERDICTS, NOT_CHECKED].join(', ')}`,
    readNames([...VERDICTS, NOT_CHECKED]),
  ),
  option(
    '--since <when>',
    'opened no earlier: a duration before now (2h, 7d), or a time (2026-11-22)',
    parseListTime,
  ),
  option('--until <when>', 'opened no later', parseListTime),
  new Option('--text <words>', 'only sessions whose title, alert or findings have these words').argParser(
    readWords,
  ),
  option('--after <page>', 'only sessions after this one, as the last page printed it', readAfter),
];

/** The command `list`. */
export const list = command({
  name: 'list',
  options: OPTIONS,
  help: HELP,
  route: 'GET /v1/sessions',
  pages: 'sessions',
  pageSize: 200,
  send: async ({ api, options: { text: q, after } }) => ({
    q,
    after: typeof after === 'string' ? await api.findSession(after) : after,
  }),
  items: 'sessions',
  print({ sessions }) {
    const columns = process.stdout.isTTY ? process.stdout.columns : undefined;
    return formatSessionTable(
      sessions,
      columns,
      pc.createColors(hasColor(process.stdout, process.env)),
      new Date(),
    );
  },
  notes: ({ sessions, next }, { api }) => [
    ...(sessions.length === 0 && next === null ? [`${api.where} has no such session`] : []),
  ],
});

/** @param known the valid names. Absent: any name. */
function readNames(known?: readonly string[]): (text: string) => string {
  return (text) => {
    const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
    if (names.length > 0 && names.every((name) => known?.includes(name) ?? true)) return names.join(',');
    const expected = known === undefined ? 'names' : known.join(', ');
    throw new InvalidArgumentError(`It is one or several of ${expected}, separated by commas.`);
  };
}

function readAfter(text: string): string {
  if (/^[\w-]+$/.test(text)) return text;
  throw new InvalidArgumentError('It is the id of a session, or its start.');
}

function readWords(text: string): string {
  if (/[\p{L}\p{N}]/u.test(text)) return text;
  throw new InvalidArgumentError('It is one or several words.');
}

function parseListTime(text: string): string {
  const duration = parseDuration(text);
  const time = duration.ok ? Date.now() - duration.value : Date.parse(text);
  const isTime = duration.ok || /^\d{4}-\d\d-\d\d(T|$)/.test(text);
  // Firestore accepts times from the year 1 on; earlier ones would fail there.
  if (isTime && !Number.isNaN(time) && time > Date.UTC(1970)) return new Date(time).toISOString();
  throw new InvalidArgumentError(
    'It is a duration such as 30m, 2h or 7d, or a time such as 2026-11-22T10:00Z.',
  );
}
