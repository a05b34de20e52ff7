// Servers that cannot be reached: what the timeline and the model are told, and whether the agent can go on. Pure.

import type { MissingSource } from '../../../contract/tools.ts';
import { RetryableError, TerminalError } from '../../../errors.ts';
import { serverNotice } from '../../../prompt/serverInstructions.ts';
import type { Execution, MissingServer } from '../../../schema/execution.ts';
import type { MessageDraft } from '../../../schema/message.ts';
import { textMessage } from '../../../schema/textMessage.ts';
import type { EventDraft } from '../../../schema/timelineEvent.ts';

/** What follows from the servers that an iteration found missing. */
export interface OutageDecision {
  /** Whether the model is asked, asked to conclude because no tool is left, or not asked before another try. */
  next: 'ask' | 'conclude' | 'try_again';
  /** The servers that are missing now, as the execution stores them. */
  missing: MissingServer[];
  /** One per outage that began. */
  events: EventDraft[];
  /** What the model is told of outages that began or ended: one message, or none. */
  messages: MessageDraft[];
}

/**
 * Compares what is missing now with what the execution stores.
 * @param found the servers that were tried in vain, and those that rest; those that are missing for good are not tried.
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
  const began = found.filter(({ name }) => !includes(known, name));
  const ended = known.filter(({ name }) => !includes(missing, name));
  const notice = serverNotice(
    missing.filter(({ name }) => includes(began, name)),
    ended.map(({ name }) => name),
  );
  return {
    next: hasTools || missing.length === 0 ? 'ask' : mayPass(began) ? 'try_again' : 'conclude',
    missing,
    events: began.map((source) => outageEvent(source, iteration)),
    messages: notice === '' ? [] : [textMessage('user', notice)],
  };
}

function includes(servers: readonly { name: string }[], name: string): boolean {
  return servers.some((server) => server.name === name);
}

/** A second try is worth its time only for an outage that has just begun. */
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
