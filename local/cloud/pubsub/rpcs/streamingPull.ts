// StreamingPull: a stream of messages to a subscriber, as many as it says it can hold.

import type { Call } from '../../protocol/call.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { asStatusError, type StatusError } from '../../protocol/status.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { Consumer, Dispatcher } from '../delivery/dispatcher.ts';
import { receivedMessage } from '../delivery/envelope.ts';
import { invalid } from '../fields/errors.ts';
import { checkName } from '../fields/names.ts';
import type { PubsubState } from '../store/state.ts';

const DEADLINE_SECONDS = { min: 10, max: 600 };
/** Of one response, unless a single message is larger. */
const RESPONSE_BYTES = 10_000_000;

export function streamingPull(
  state: PubsubState,
  dispatcher: Dispatcher,
  deliveries: Deliveries,
): (call: Call) => void {
  return (call) => {
    let stream: Stream | undefined;
    const end = () => stream?.detach();
    call.on('data', (request: Message) => {
      try {
        if (stream === undefined) stream = openStream(call, request, state, dispatcher);
        else checkLater(request);
        settleRequest(stream, request, state, deliveries);
      } catch (error) {
        end();
        call.emit('error', asStatusError(error));
      }
    });
    call.on('cancelled', end);
    call.on('error', end);
    call.on('end', () => {
      end();
      call.end();
    });
  };
}

interface Stream {
  call: Call;
  /** The subscription's name. */
  name: string;
  deadlineSeconds: number;
  detach(): void;
}

/** @throws StatusError for a request that opens no stream. */
function openStream(call: Call, request: Message, state: PubsubState, dispatcher: Dispatcher): Stream {
  if (!request.subscription) throw invalid('first message must set subscription');
  const name = checkName('subscriptions', request.subscription);
  const { id } = state.subscriptions.named(name);
  const stream: Stream = {
    call,
    name,
    deadlineSeconds: checkDeadline(request.streamAckDeadlineSeconds ?? 0),
    detach: () => {},
  };
  const consumer = createConsumer(stream, request, () => dispatcher.deliverSoon(id));
  stream.detach = dispatcher.attach(id, consumer);
  call.on('drain', () => dispatcher.deliverSoon(id));
  dispatcher.deliverSoon(id);
  return stream;
}

function createConsumer(stream: Stream, request: Message, onRoom: () => void): Consumer {
  const { call } = stream;
  const maxMessages = limitOf(request.maxOutstandingMessages);
  const maxBytes = limitOf(request.maxOutstandingBytes);
  /** The bytes of what it holds, by ack id. */
  const held = new Map<string, number>();
  let heldBytes = 0;
  return {
    kind: 'pull',
    room() {
      const isFull = call.writableNeedDrain || heldBytes >= maxBytes;
      const bytes = Math.min(RESPONSE_BYTES, maxBytes - heldBytes);
      return { messages: isFull ? 0 : maxMessages - held.size, bytes };
    },
    deadlineSeconds: () => stream.deadlineSeconds,
    take(given, subscription) {
      const receivedMessages = given.map((delivery) => receivedMessage(delivery, subscription));
      for (const [index, { message }] of given.entries()) {
        held.set(receivedMessages[index].ackId, message.data.length);
        heldBytes += message.data.length;
      }
      const { enableExactlyOnceDelivery, enableMessageOrdering } = subscription.settings;
      const subscriptionProperties = {
        exactlyOnceDeliveryEnabled: enableExactlyOnceDelivery,
        messageOrderingEnabled: enableMessageOrdering,
      };
      call.write({ receivedMessages, subscriptionProperties });
    },
    settled(ackId) {
      heldBytes -= held.get(ackId) ?? 0;
      held.delete(ackId);
      onRoom();
    },
    end: (reason: StatusError) => void call.emit('error', reason),
  };
}

/** A limit of the protocol: none when it is 0, negative or absent. */
const limitOf = (text: string | undefined): number => (Number(text ?? 0) > 0 ? Number(text) : Infinity);

/** Acks and deadlines that come with a request of the stream. */
function settleRequest(stream: Stream, request: Message, state: PubsubState, deliveries: Deliveries): void {
  if (request.streamAckDeadlineSeconds) {
    stream.deadlineSeconds = checkDeadline(request.streamAckDeadlineSeconds);
  }
  const acks: string[] = request.ackIds ?? [];
  const modified: string[] = request.modifyDeadlineAckIds ?? [];
  const seconds: number[] = request.modifyDeadlineSeconds ?? [];
  if (modified.length !== seconds.length) {
    throw invalid('modify_deadline_seconds and modify_deadline_ack_ids differ in length');
  }
  if (acks.length === 0 && modified.length === 0) return;
  const subscription = state.subscriptions.named(stream.name);
  const confirms = subscription.settings.enableExactlyOnceDelivery;
  const answer: Message = {};
  if (acks.length > 0) answer.acknowledgeConfirmation = deliveries.acknowledge(subscription, acks);
  const confirmations = modified.map((ackId, index) =>
    deliveries.modifyDeadline(subscription, [ackId], seconds[index] ?? 0),
  );
  if (modified.length > 0) {
    answer.modifyAckDeadlineConfirmation = {
      ackIds: confirmations.flatMap(({ ackIds }) => ackIds),
      invalidAckIds: confirmations.flatMap(({ invalidAckIds }) => invalidAckIds),
    };
  }
  if (confirms) stream.call.write(answer);
}

function checkLater(request: Message): void {
  for (const field of ['subscription', 'maxOutstandingMessages', 'maxOutstandingBytes', 'protocolVersion']) {
    const value = request[field];
    if (value && value !== '0') throw invalid(`only the first message may set ${field}`);
  }
}

function checkDeadline(seconds: number): number {
  const { min, max } = DEADLINE_SECONDS;
  if (seconds < min || seconds > max) {
    throw invalid(`stream_ack_deadline_seconds must be between ${min} and ${max} seconds`);
  }
  return seconds;
}
