// `start-deferred`: starts an investigation that was stored and not begun.

import type { Command } from 'commander';
import { RetryableError } from '../shared/errors.ts';
import { createLogger } from '../shared/log.ts';
import { systemClock } from '../shared/runtime/deps.ts';
import { type StartOutcome, startDeferred } from '../shared/runtime/session/startDeferred.ts';
import { SchemaVersionError } from '../shared/schema/documentType.ts';
import { openCloud } from '../shared/wiring/openCloud.ts';
import { checkSystemIsNamed, SYSTEM_HELP } from './project.ts';
import { sessionIdArgument } from './sessionIdArgument.ts';

const HELP = `
An alert is stored as deferred when a budget of system.yaml or chains.yaml is used up (sessionsPerHour, dailyTokens), or
when it is about Inquest itself. Its timeline says which. Starting it asks no budget, and takes nothing from one. It is
started once, whoever else does the same at the same time.
`;

/** Adds the command to the program. */
export function registerStartDeferred(program: Command): void {
  program
    .command('start-deferred')
    .description('start an investigation that was deferred')
    .argument('<session>', 'its id, as the log of ingestAlert and its timeline have it')
    .option('--json', 'print the outcome as a line of JSON')
    .addHelpText('after', `${HELP}${SYSTEM_HELP}`)
    .action(start);
}

async function start(session: string, { json }: { json?: boolean }): Promise<void> {
  checkSystemIsNamed(process.env);
  const sessionId = sessionIdArgument(session);
  const { projectId, store, publisher, close } = openCloud(process.env, { storeTimeoutMs: 10_000 });
  const log = createLogger({ LOG_LEVEL: 'silent' });
  try {
    const outcome = await startDeferred(sessionId, { store, publisher, log, clock: systemClock });
    if (outcome.kind !== 'started') throw new Error(refusal(sessionId, outcome, projectId));
    const { kind, isPublished } = outcome;
    const wait = isPublished
      ? ''
      : '; Pub/Sub did not take its first message, so the sweep begins it within minutes';
    const line = json
      ? JSON.stringify({ sessionId, outcome: kind, isPublished })
      : `session ${sessionId} is started${wait}`;
    process.stdout.write(`${line}\n`);
  } catch (error) {
    if (!(error instanceof RetryableError) || error instanceof SchemaVersionError) throw error;
    throw new Error(`${error.message}. Run the same command again.`, { cause: error });
  } finally {
    await close();
  }
}

/** Why nothing was started. */
function refusal(
  sessionId: string,
  outcome: Exclude<StartOutcome, { kind: 'started' }>,
  project: string,
): string {
  if (outcome.kind === 'unknown_session') return `there is no session ${sessionId} in project ${project}`;
  const { status, startedAt } = outcome;
  if (startedAt === null) return `session ${sessionId} is not deferred: it is ${status}`;
  return `session ${sessionId} was started before, at ${startedAt.toISOString()}: it is ${status}`;
}
