// `cancel`: ends an investigation that runs.

import { userInfo } from 'node:os';
import type { Command } from 'commander';
import { createLogger } from '../shared/log.ts';
import { systemClock } from '../shared/runtime/kernel/deps.ts';
import { cancelSession } from '../shared/runtime/session/cancelSession.ts';
import { readLine } from './approvals.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from './project.ts';
import { type ApiOptions, apiOf, urlOption } from './remote/apiClient.ts';
import * as steering from './remote/steering.ts';
import { findSession, SESSION_ARGUMENT } from './session/findSession.ts';
import { withSessions } from './session/withSessions.ts';
import { tenantOption } from './tenantOption.ts';

/** Characters of a reason: people read it. */
const MAX_REASON = 2_000;

const HELP = `
What runs is stopped: agents, also those side by side, within 5 s; calls that wait for a person at once. The timeline says
who cancelled (the user of this machine). Cancelling twice is cancelling once; a session that has ended stays as it is.
`;

/** Adds the command to the program. */
export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .description('end an investigation that is running, or the answer to a question')
    .argument('<session>', SESSION_ARGUMENT)
    .addOption(tenantOption())
    .addOption(urlOption())
    .option('--reason <text>', 'why, for readers of the timeline')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(cancel);
}

async function cancel(
  session: string,
  options: ApiOptions & { tenant: string; reason?: string },
): Promise<void> {
  const reason = options.reason === undefined ? null : readLine('--reason', options.reason, MAX_REASON);
  const api = apiOf({ ...options, by: userInfo().username });
  if (api !== undefined) {
    const { line } = await steering.cancel(api, await api.findSession(session), reason);
    process.stdout.write(`${line}\n`);
    return;
  }
  checkSystemIsNamed(process.env);
  await withSessions(options, async ({ where, store, publisher, sessions }) => {
    const sessionId = await findSession(session, sessions, where);
    const deps = { store, publisher, log: createLogger({ LOG_LEVEL: 'silent' }), clock: systemClock };
    const outcome = await cancelSession(sessionId, deps, { by: userInfo().username, reason });
    switch (outcome.kind) {
      case 'unknown_session':
        throw new Error(`there is no session ${sessionId} in ${where}`);
      case 'already_ended':
        process.stdout.write(`session ${sessionId} had ended before: ${outcome.status}\n`);
        return;
      case 'question_cancelled':
        process.stdout.write(`the question that session ${sessionId} answered is cancelled\n`);
        return;
      case 'cancelled':
        process.stdout.write(`session ${sessionId} is cancelled\n`);
    }
  });
}
