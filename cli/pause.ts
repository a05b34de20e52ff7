// `pause` and `resume`: an investigation that runs stops after its iterations, and goes on.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createLogger } from '../shared/log.ts';
import { pauseSession, resumeSession } from '../shared/runtime/features/guidance/pauseSession.ts';
import { isNotSteered } from '../shared/runtime/features/guidance/steerSession.ts';
import { systemClock } from '../shared/runtime/kernel/deps.ts';
import { MAX_NAME, readLine } from './approvals.ts';
import { printable } from './printer.ts';
import { checkDatabaseIsNamed, checkSystemIsNamed, DATABASE_HELP, SYSTEM_HELP } from './project.ts';
import { type ApiOptions, apiOf, urlOption } from './remote/apiClient.ts';
import { pauseOrResume } from './remote/steering.ts';
import { findSession, SESSION_ARGUMENT } from './session/findSession.ts';
import { withSessions } from './session/withSessions.ts';
import { steeringRefusal } from './steeringRefusal.ts';
import { tenantOption } from './tenantOption.ts';

const PAUSE_HELP = `
An iteration that runs is finished; no other starts until \`inquest resume\`. The deadline of the investigation runs on, and
so does the time of calls that wait for a person: they can be decided meanwhile, and run after the pause. A paused
investigation can be told something, and be cancelled.
`;
const RESUME_HELP = `
All agents that are open go on where they were. What does not begin, because Pub/Sub failed, the sweep begins within minutes,
or the same command.
`;

interface Options extends ApiOptions {
  by?: string;
  tenant: string;
  json?: boolean;
}

/** Adds the command `pause` to the program. */
export function registerPause(program: Command): void {
  program
    .command('pause')
    .description('pause an investigation that runs, after the iterations that are under way')
    .argument('<session>', SESSION_ARGUMENT)
    .option('--by <name>', 'who pauses it (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${PAUSE_HELP}${DATABASE_HELP}`)
    .action(pause);
}

/** Adds the command `resume` to the program. */
export function registerResume(program: Command): void {
  program
    .command('resume')
    .description('let an investigation go on that was paused')
    .argument('<session>', SESSION_ARGUMENT)
    .option('--by <name>', 'who resumes it (default: the user of this machine)')
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${RESUME_HELP}${SYSTEM_HELP}`)
    .action(resume);
}

async function pause(session: string, options: Options): Promise<void> {
  const by = readLine('--by', options.by ?? userInfo().username, MAX_NAME);
  if (await throughApi(session, 'pause', { ...options, by })) return;
  checkDatabaseIsNamed(process.env);
  await withSessions(options, async ({ where, store, sessions }) => {
    const sessionId = await findSession(session, sessions, where);
    const outcome = await pauseSession(sessionId, { by }, { store, clock: systemClock });
    if (isNotSteered(outcome))
      throw new Error(steeringRefusal(sessionId, outcome, where, 'there is nothing to pause'));
    const { kind, paused } = outcome;
    const line =
      kind === 'paused'
        ? `session ${sessionId} is paused; iterations that are under way finish`
        : `session ${sessionId} was paused before, by ${printable(paused.by)} at ${paused.at.toISOString()}`;
    print(options, { sessionId, outcome: kind, paused }, line);
  });
}

async function resume(session: string, options: Options): Promise<void> {
  const by = readLine('--by', options.by ?? userInfo().username, MAX_NAME);
  if (await throughApi(session, 'resume', { ...options, by })) return;
  checkSystemIsNamed(process.env);
  await withSessions(options, async ({ where, store, publisher, sessions }) => {
    const sessionId = await findSession(session, sessions, where);
    const deps = { store, publisher, log: createLogger({ LOG_LEVEL: 'silent' }), clock: systemClock };
    const outcome = await resumeSession(sessionId, { by }, deps);
    if (isNotSteered(outcome))
      throw new Error(steeringRefusal(sessionId, outcome, where, 'there is nothing to resume'));
    const { kind, published } = outcome;
    const what = kind === 'resumed' ? 'is resumed' : 'was not paused';
    const agents = `${published} ${published === 1 ? 'agent goes' : 'agents go'} on`;
    const line = `session ${sessionId} ${what}${kind === 'resumed' || published > 0 ? `; ${agents}` : ''}`;
    print(options, { sessionId, outcome: kind, published }, line);
  });
}

/** Whether the API did it. */
async function throughApi(session: string, verb: 'pause' | 'resume', options: Options): Promise<boolean> {
  const api = apiOf(options);
  if (api === undefined) return false;
  const { fields, line } = await pauseOrResume(api, await api.findSession(session), verb);
  print(options, fields, line);
  return true;
}

function print({ json }: Options, fields: object, line: string): void {
  process.stdout.write(`${json ? JSON.stringify(fields) : line}\n`);
}
