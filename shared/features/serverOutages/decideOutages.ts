// Unreachable servers: messages for timeline and model, and whether the agent can continue. Pure.

import type { MissingSource } from '../../core/contract/tools.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import type { Execution, MissingServer } from '../../core/schema/execution.ts';
import type { MessageDraft } from '../../core/schema/message.ts';
import { textMessage } from '../../core/schema/textMessage.ts';
import type { EventDraft } from '../../core/schema/timelineEvent.ts';
import { serverNotice } from '../../prompt/serverInstructions.ts';

/** The consequences of the servers that an iteration found missing. */
export interface OutageDecision {
  /** Asks the model, asks it to conclude because no tool is left, or tries again first. */
  next: 'ask' | 'conclude' | 'try_again';
  /** The servers that are missing now, as the execution stores them. */
  missing: MissingServer[];
  /** One for each outage that started. */
  events: EventDraft[];
  /** The message to the model about outages that started or ended: one, or none. */
  messages: MessageDraft[];
}

/**
 * Compares the missing servers with those that the execution stores.
 * @param found the servers that could not be reached, and those that rest; permanently missing servers are
 * not tried.
 * @param hasTools whether the agent has any tool left.
 */
export function decideOutages(
  { missingServers: known, iteration }: Pick<Execution, 'missingServers' | 'iteration'>,
  found: readonly MissingSource[],
  hasTools: boolean,
): OutageDecision {
  const missing = [
    ...known.filter(({ permanent }) => permanent),
    ...found.map(({ name, error }) => ({ name, permanent: error instanceof TerminalError })),
  ];
  const began = found.filter(({ name }) => !includesServer(known, name));
  const ended = known.filter(({ name }) => !includesServer(missing, name));
  const notice = serverNotice(
    missing.filter(({ name }) => includesServer(began, name)),
    ended.map(({ name }) => name),
  );
  return {
    next: hasTools || missing.length === 0 ? 'ask' : mayPass(began) ? 'try_again' : 'conclude',
    missing,
    events: began.map((source) => outageEvent(source, iteration)),
    messages: notice === '' ? [] : [textMessage('user', notice)],
  };
}

function includesServer(servers: readonly { name: string }[], name: string): boolean {
  return servers.some((server) => server.name === name);
}

/** A retry is worthwhile only for an outage that has just started. */
function mayPass(began: readonly MissingSource[]): boolean {
  return began.some(({ error }) => error instanceof RetryableError);
}

function outageEvent({ error }: MissingSource, iteration: number): EventDraft {
  const { code, message } = error;
  return {
    eventType: 'error',
    status: 'failed',
    content: `${message}${/[.!?]$/.test(message) ? '' : '.'} The agent goes on without its tools.`,
    metadata: { code, retryable: error instanceof RetryableError, recoverable: true, iteration },
  };
}
