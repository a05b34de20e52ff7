// `tell`: gives guidance to the agents of an investigation that runs.

import { userInfo } from 'node:os';
import { text as readAll } from 'node:stream/consumers';
import type { Command } from 'commander';
import { knownSecrets } from '../shared/masking/knownSecrets.ts';
import { guidanceFault, MAX_GUIDANCE, tellSession } from '../shared/runtime/features/guidance/tellSession.ts';
import { systemClock } from '../shared/runtime/kernel/deps.ts';
import { createMaskers } from '../shared/runtime/kernel/maskers.ts';
import { type GuidanceState, listGuidance } from '../shared/runtime/views/listGuidance.ts';
import type { Unreadable } from '../shared/schema/readable.ts';
import { MAX_NAME, readLine } from './approvals.ts';
import { printable } from './printer.ts';
import { checkDatabaseIsNamed, DATABASE_HELP } from './project.ts';
import { type ApiOptions, apiOf, urlOption, withDates } from './remote/apiClient.ts';
import * as steering from './remote/steering.ts';
import { reportUnreadable } from './reportUnreadable.ts';
import { findSession, SESSION_ARGUMENT } from './session/findSession.ts';
import { withSessions } from './session/withSessions.ts';
import { steeringRefusal } from './steeringRefusal.ts';
import { tenantOption } from './tenantOption.ts';
import { UsageError } from './usageError.ts';

/** Stands for standard input in the place of the text. */
const STDIN = '-';

const HELP = `
The words are masked, stored, and shown in the timeline. Every agent reads them when it next asks its model, as words of a
person and not as data; agents of later stages read them, too. What no agent asked its model after is reported as unread at
the end. The same words of the same person are stored once. \`--list\` says who has read what.
`;

interface Options extends ApiOptions {
  by?: string;
  tenant: string;
  json?: boolean;
  list?: boolean;
}

/** Adds the command to the program. */
export function registerTell(program: Command): void {
  program
    .command('tell')
    .description('give guidance to the agents of an investigation that runs')
    .argument('<session>', SESSION_ARGUMENT)
    .argument('[text]', 'what to tell them, at most 10,000 characters; `-` reads standard input')
    .option('--list', 'list what they were told, and who has read it')
    .option('--by <name>', 'who tells them (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print lines of JSON')
    .addHelpText('after', `${HELP}${DATABASE_HELP}`)
    .action(tell);
}

async function tell(session: string, text: string | undefined, options: Options): Promise<void> {
  if (options.list) {
    if (text !== undefined) throw new UsageError('--list takes no text; leave one of them away');
    return list(session, options);
  }
  if (text === undefined) throw new UsageError('the text is missing: give it, or `-` to read standard input');
  const by = readLine('--by', options.by ?? userInfo().username, MAX_NAME);
  const words = text === STDIN ? await readAll(process.stdin) : text;
  const fault = guidanceFault(words);
  if (fault !== undefined) throw new UsageError(`the text cannot be told: ${fault}. Nothing was stored.`);
  const api = apiOf({ ...options, by });
  if (api !== undefined) {
    const { fields, line } = await steering.tell(api, await api.findSession(session), words);
    process.stdout.write(`${options.json ? JSON.stringify(fields) : line}\n`);
    return;
  }
  checkDatabaseIsNamed(process.env);
  await withSessions(options, async ({ where, store, sessions }) => {
    const sessionId = await findSession(session, sessions, where);
    const maskerFor = createMaskers({ known: knownSecrets(process.env) });
    const outcome = await tellSession(
      sessionId,
      { text: words, by },
      { store, clock: systemClock, maskerFor },
    );
    switch (outcome.kind) {
      case 'unknown_session':
      case 'not_running':
      case 'is_chat':
        throw new Error(steeringRefusal(sessionId, outcome, where, 'no agent would read it'));
      case 'concluded':
        throw new Error(
          `session ${sessionId} has its analysis; only its summary is being written, so no agent would read it`,
        );
      case 'too_many':
        throw new Error(
          `session ${sessionId} has ${MAX_GUIDANCE} pieces of guidance, which is the most it may have`,
        );
      case 'told':
      case 'told_before': {
        const { kind, guidance, isPaused } = outcome;
        const when = isPaused ? 'once the session is resumed' : 'when they next ask their model';
        const what = kind === 'told' ? 'is told' : 'was told the same before';
        const line = options.json
          ? JSON.stringify({ outcome: kind, isPaused, ...guidance })
          : `session ${sessionId} ${what}, as guidance ${guidance.number}; its agents read it ${when}`;
        process.stdout.write(`${line}\n`);
      }
    }
  });
}

async function list(session: string, options: Options): Promise<void> {
  const api = apiOf(options);
  if (api !== undefined) {
    const sessionId = await api.findSession(session);
    const told = withDates(await api.get(`/v1/sessions/${sessionId}/guidance`)) as {
      guidance: GuidanceState[];
      unreadable?: Unreadable[];
    };
    told.unreadable?.forEach(reportUnreadable);
    return printGuidance(sessionId, told.guidance, options);
  }
  checkDatabaseIsNamed(process.env);
  await withSessions(options, async ({ where, store, sessions }) => {
    const sessionId = await findSession(session, sessions, where);
    printGuidance(sessionId, await listGuidance(sessionId, store, reportUnreadable), options);
  });
}

function printGuidance(sessionId: string, found: GuidanceState[], { json }: Options): void {
  const lines = json ? found.map((one) => JSON.stringify(one)) : found.flatMap(describe);
  for (const line of lines) process.stdout.write(`${line}\n`);
  if (!json && found.length === 0) process.stdout.write(`session ${sessionId} was told nothing\n`);
}

function describe({ guidance, readBy, state }: GuidanceState): string[] {
  const { number, givenBy, createdAt, text } = guidance;
  const readers = readBy.length > 0 ? `read by ${readBy.join(', ')}` : READ_BY_NONE[state];
  return [
    `${number}  ${createdAt.toISOString()}  ${printable(givenBy)}: ${readers}`,
    ...printable(text)
      .split('\n')
      .map((line) => `   ${line}`),
  ];
}

const READ_BY_NONE: Record<GuidanceState['state'], string> = {
  read: 'read',
  pending: 'not read yet',
  unread: 'unread: no model was asked after it was given',
};
