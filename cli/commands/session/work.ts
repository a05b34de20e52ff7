// `work`: the actions of people on a session. Without a kind it lists the entries.

import { type Command, Option } from 'commander';
import { reviewDetails } from '../../../shared/runtime/features/work/workText.ts';
import {
  MAX_WORK_TEXT,
  type Review,
  WORK_KINDS,
  type WorkKind,
} from '../../../shared/schema/features/work.ts';
import { MECHANISMS } from '../../../shared/text/mechanisms.ts';
import { withApi } from '../../api/withApi.ts';
import { sessionCommand, type TenantOptions } from '../../options/commandOptions.ts';
import { DATABASE_HELP } from '../../options/project.ts';
import { readName } from '../../options/readLine.ts';
import { printableText, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

const HELP = `
Kinds: \`claim\` (you work on it), \`release\`, \`note TEXT\`, \`action TEXT\` (a change that you made), \`resolve [TEXT]\`, and
\`review\` with --rating. Entries are masked, stand in the timeline, and are never changed; ended sessions accept them, too. Of
several reviews by one person, the newest counts. Without a kind, the command lists all entries.
`;

interface Options extends TenantOptions {
  rating?: Review['rating'];
  cause?: string;
  component?: string;
  mechanism?: string;
  action?: string;
  missed?: string;
}

/** Adds the command to the program. */
export function registerWork(program: Command): void {
  sessionCommand(program, 'work')
    .argument('[kind]', WORK_KINDS.join(', '))
    .argument('[text]', `at most ${MAX_WORK_TEXT.toLocaleString('en')} characters`)
    .addOption(new Option('--rating <rating>', 'of a review').choices(['right', 'partly', 'wrong']))
    .option('--cause <text>', 'the cause that you know, in a review')
    .option('--component <name>', 'the thing that failed, in a review')
    .addOption(new Option('--mechanism <name>', 'how it failed, in a review').choices(MECHANISMS))
    .option('--action <text>', 'the action that helped, in a review')
    .option('--missed <text>', 'the missed part of the analysis, in a review')
    .option('--by <name>', 'who (default: the user of this machine)')
    .option('--json', 'print JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(recordWork);
}

async function recordWork(
  session: string,
  kind: string | undefined,
  text: string | undefined,
  options: Options,
): Promise<void> {
  const known = WORK_KINDS.find((one) => one === kind);
  if (kind !== undefined && known === undefined)
    throw new UsageError(`there is no kind ${kind}; it is one of ${WORK_KINDS.join(', ')}`);
  const body = known && { kind: known, ...(text !== undefined && { text }), ...reviewOf(known, options) };
  await withApi({ ...options, by: readName(options.by) }, async (api) => {
    const sessionId = await api.findSession(session);
    const path = `/v1/sessions/${sessionId}/work`;
    if (body === undefined) return printWork(await api.get<Work>(path), sessionId, options);
    const { entry, ...state } = await api.post<{ entry: Entry }>(path, body);
    const line = `session ${sessionId} has entry ${entry.number}: ${entry.kind}`;
    write(options.json ? JSON.stringify({ entry, ...state }) : line);
  });
}

/** The review of the options. @throws UsageError without a rating, or with one for another kind. */
function reviewOf(kind: WorkKind, options: Options): { review?: object } {
  const { rating, cause: text, component, mechanism, action, missed } = options;
  const given = { rating, text, component, mechanism, action, missed };
  const isAny = Object.values(given).some((value) => value !== undefined);
  if (kind !== 'review') {
    if (isAny) throw new UsageError('--rating and its details belong to the kind `review`');
    return {};
  }
  if (rating === undefined) throw new UsageError('a review needs --rating right, partly or wrong');
  const cause = { component, mechanism, text };
  const hasCause = Object.values(cause).some((value) => value !== undefined);
  return { review: { rating, action, missed, ...(hasCause && { cause }) } };
}

/** An entry as the API returns it. */
interface Entry {
  number: number;
  kind: WorkKind;
  text: string | null;
  by: string;
  createdAt: string;
  review: Review | null;
}

interface Work {
  entries: Entry[];
  claimedBy: string | null;
  resolved: { by: string; at: string } | null;
}

function printWork(found: Work, sessionId: string, { json }: Options): void {
  const lines = json ? [JSON.stringify(found)] : found.entries.flatMap(entryLines);
  if (lines.length === 0) lines.push(`session ${sessionId} has no entries`);
  if (!json && found.claimedBy !== null) lines.push(`claimed by ${printableText(found.claimedBy)}`);
  for (const line of lines) write(line);
}

function entryLines({ number, kind, text, by, createdAt, review }: Entry): string[] {
  const details = [...(text === null ? [] : [text]), ...reviewDetails(review)];
  const rating = review === null ? '' : ` ${review.rating}`;
  return [
    `${number}  ${createdAt}  ${printableText(by)}: ${kind}${rating}`,
    ...details.flatMap((one) => printableText(one).split('\n')).map((line) => `   ${line}`),
  ];
}
