// Pull: waits for the first message and returns all messages that are due then.

import type { Message } from '../../protocol/protoFiles.ts';
import type { Consumer } from '../delivery/consumers.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { receivedMessage } from '../delivery/envelope.ts';
import { invalid } from '../fields/errors.ts';
import { checkName } from '../fields/names.ts';
import type { PubsubState } from '../store/state.ts';

/** Returns an empty response after that. Less than the 60 s timeout of Google's clients. */
const WAIT_MS = 30_000;
const RESPONSE_BYTES = 10_000_000;

/**
 * Answers one Pull request.
 * @param signal aborts when the client has gone. No message is delivered to it then.
 * @throws StatusError NOT_FOUND, INVALID_ARGUMENT, or FAILED_PRECONDITION for a push subscription.
 */
export async function pullMessages(
  request: Message,
  signal: AbortSignal,
  state: PubsubState,
  dispatcher: Dispatcher,
): Promise<Message> {
  const { id } = state.subscriptions.named(checkName('subscriptions', request.subscription));
  const maxMessages: number = request.maxMessages ?? 0;
  if (maxMessages <= 0) throw invalid('No max_messages specified');

  let detach = () => {};
  let stopTimer = () => {};
  try {
    return await new Promise<Message>((resolve, reject) => {
      let isDone = false;
      const answer = (receivedMessages: Message[]) => {
        isDone = true;
        resolve({ receivedMessages });
      };
      const consumer: Consumer = {
        kind: 'pull',
        capacity: () => ({ messages: isDone ? 0 : maxMessages, bytes: RESPONSE_BYTES }),
        deadlineSeconds: ({ settings }) => settings.ackDeadlineSeconds,
        take: (deliveries, subscription) =>
          answer(deliveries.map((delivery) => receivedMessage(delivery, subscription))),
        settled: () => {},
        end: reject,
      };
      signal.addEventListener('abort', () => answer([]));
      if (signal.aborted) return answer([]);
      detach = dispatcher.attach(id, consumer);
      dispatcher.deliverNow(id);
      if (request.returnImmediately) answer([]);
      else stopTimer = state.clock.after(WAIT_MS, () => answer([]));
    });
  } finally {
    detach();
    stopTimer();
  }
}
