// `cancel`: ends an investigation that runs.

import type { Command } from 'commander';
import { RetryableError } from '../shared/errors.ts';
import { createLogger } from '../shared/log.ts';
import { systemClock } from '../shared/runtime/deps.ts';
import { cancelSession } from '../shared/runtime/session/cancelSession.ts';
import { SchemaVersionError } from '../shared/schema/documentType.ts';
import { openCloud } from '../shared/wiring/openCloud.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from './project.ts';
import { sessionIdArgument } from './sessionIdArgument.ts';

/** Adds the command to the program. */
export function registerCancel(program: Command): void {
  program
    .command('cancel')
    .description('end an investigation that is running')
    .argument('<session>', 'its id, as `inquest publish` printed it: the last part of sessions/…')
    .addHelpText('after', SYSTEM_HELP)
    .action(cancel);
}

async function cancel(session: string): Promise<void> {
  checkSystemIsNamed(process.env);
  const sessionId = sessionIdArgument(session);
  const { projectId, store, publisher, close } = openCloud(process.env, { storeTimeoutMs: 10_000 });
  const log = createLogger({ LOG_LEVEL: 'silent' });
  try {
    const outcome = await cancelSession(sessionId, { store, publisher, log, clock: systemClock });
    switch (outcome.kind) {
      case 'unknown_session':
        throw new Error(`there is no session ${sessionId} in project ${projectId}`);
      case 'already_ended':
        process.stdout.write(`session ${sessionId} had ended before: ${outcome.status}\n`);
        return;
      case 'cancelled':
        process.stdout.write(`session ${sessionId} is cancelled\n`);
    }
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof SchemaVersionError) throw error;
    throw new Error(`${error.message}. Run the same command again.`, { cause: error });
  } finally {
    await close();
  }
}
