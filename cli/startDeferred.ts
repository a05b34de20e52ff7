// `start-deferred`: starts an investigation that was stored and not begun.

import type { Command } from 'commander';
import { createLogger } from '../shared/log.ts';
import { systemClock } from '../shared/runtime/kernel/deps.ts';
import { type StartOutcome, startDeferred } from '../shared/runtime/session/startDeferred.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from './project.ts';
import { type ApiOptions, apiOf, urlOption } from './remote/apiClient.ts';
import * as steering from './remote/steering.ts';
import { findSession, SESSION_ARGUMENT } from './session/findSession.ts';
import { withSessions } from './session/withSessions.ts';
import { tenantOption } from './tenantOption.ts';

const HELP = `
An alert is stored as deferred when it is resolved, acknowledged or a test, when a budget of system.yaml or chains.yaml is
used up (sessionsPerHour, dailyTokens), or when it is about Inquest itself. Its timeline says which. A session that waits for
a budget also starts without this command, when the budget has room. Starting it asks no budget, and takes nothing from one.
It is started once, also when several callers start it at the same time.
`;

/** Adds the command to the program. */
export function registerStartDeferred(program: Command): void {
  program
    .command('start-deferred')
    .description('start an investigation that was deferred')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(start);
}

async function start(
  session: string,
  options: ApiOptions & { tenant: string; json?: boolean },
): Promise<void> {
  const { tenant, json } = options;
  const api = apiOf(options);
  if (api !== undefined) {
    const { fields, line } = await steering.startDeferred(api, await api.findSession(session));
    process.stdout.write(`${json ? JSON.stringify(fields) : line}\n`);
    return;
  }
  checkSystemIsNamed(process.env);
  await withSessions({ tenant }, async ({ where, store, publisher, sessions }) => {
    const sessionId = await findSession(session, sessions, where);
    const log = createLogger({ LOG_LEVEL: 'silent' });
    const outcome = await startDeferred(sessionId, { store, publisher, log, clock: systemClock });
    if (outcome.kind !== 'started') throw new Error(refusal(sessionId, outcome, where));
    const { kind, isPublished } = outcome;
    const wait = isPublished
      ? ''
      : '; Pub/Sub did not take its first message, so the sweep begins it within minutes';
    const line = json
      ? JSON.stringify({ sessionId, outcome: kind, isPublished })
      : `session ${sessionId} is started${wait}`;
    process.stdout.write(`${line}\n`);
  });
}

/** Why nothing was started. */
function refusal(
  sessionId: string,
  outcome: Exclude<StartOutcome, { kind: 'started' }>,
  where: string,
): string {
  if (outcome.kind === 'unknown_session') return `there is no session ${sessionId} in ${where}`;
  const { status, startedAt } = outcome;
  if (startedAt === null) return `session ${sessionId} is not deferred: it is ${status}`;
  return `session ${sessionId} was started before, at ${startedAt.toISOString()}: it is ${status}`;
}
