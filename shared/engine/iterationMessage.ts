// Reads, rejects and logs messages about an iteration, from the topics `iterations` and `iterations-dead`.

import { TerminalError } from '../core/errors.ts';
import { addLogContext } from '../core/kernel/logContext.ts';
import type { PubsubMessage } from '../core/kernel/pubsubEvent.ts';
import {
  ITERATION_MESSAGE_VERSION,
  type IterationMessage,
  iterationMessageSchema,
} from '../core/schema/iterationMessage.ts';
import { parseJson } from '../text/json.ts';
import { placedIssue } from '../text/zodIssues.ts';

/**
 * The iteration a message is about. Every later log line about the message names it.
 * @throws TerminalError `MESSAGE_MALFORMED` naming the fields; `MESSAGE_SCHEMA_UNKNOWN` for another version.
 */
export function parseIterationMessage(message: PubsubMessage): IterationMessage {
  const json = parseJson(Buffer.from(message.data).toString('utf8'));
  if (json === undefined) throw new TerminalError('MESSAGE_MALFORMED', 'data: not JSON');
  const parsed = iterationMessageSchema.safeParse(json);
  if (parsed.success) {
    const { sessionId, executionId, iteration } = parsed.data;
    addLogContext({ sessionId, executionId, iteration });
    return parsed.data;
  }
  if (parsed.error.issues.some(({ path }) => path[0] === 'schemaVersion')) {
    const known = `this code knows schemaVersion ${ITERATION_MESSAGE_VERSION}`;
    throw new TerminalError('MESSAGE_SCHEMA_UNKNOWN', `${known}, the message has another or none`);
  }
  const faults = parsed.error.issues.map((issue) => placedIssue(issue, json, 'data'));
  throw new TerminalError('MESSAGE_MALFORMED', `not an iteration message: ${faults.join('; ')}`);
}

/** The error for a message about an execution or an iteration that does not exist. */
export function unknownIteration(
  reason: 'EXECUTION_UNKNOWN' | 'ITERATION_AHEAD',
  { sessionId, executionId, iteration }: IterationMessage,
): TerminalError {
  const what =
    reason === 'EXECUTION_UNKNOWN'
      ? `there is no execution ${executionId} in session ${sessionId}`
      : `iteration ${iteration} of execution ${executionId} was never scheduled`;
  return new TerminalError(reason, what);
}
