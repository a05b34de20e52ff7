// StreamingPull: streams messages to a subscriber within its flow control limits.

import type { Call } from '../../protocol/call.ts';
import type { Message } from '../../protocol/protoFiles.ts';
import { asStatusError, type StatusError } from '../../protocol/status.ts';
import type { Consumer } from '../delivery/consumers.ts';
import type { Deliveries } from '../delivery/deliveries.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import { receivedMessage } from '../delivery/envelope.ts';
import { invalid } from '../fields/errors.ts';
import { checkName } from '../fields/names.ts';
import type { PubsubState } from '../store/state.ts';

const DEADLINE_SECONDS = { min: 10, max: 600 };
/** Limit of one response. A single larger message is sent in a response of its own. */
const RESPONSE_BYTES = 10_000_000;

/** The handler of StreamingPull calls. */
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
        else checkLaterRequest(request);
        applyRequest(stream, request, state, deliveries);
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
  /** The open stream of the subscriber. */
  call: Call;
  /** The subscription's name. */
  name: string;
  /** Ack deadline of the messages on this stream, in seconds; a later request can change it. */
  deadlineSeconds: number;
  /** Detaches the consumer. Without effect before it is attached. */
  detach(): void;
}

/** @throws StatusError INVALID_ARGUMENT or NOT_FOUND when the first request is invalid. */
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

function createConsumer(stream: Stream, request: Message, onCapacity: () => void): Consumer {
  const { call } = stream;
  const maxMessages = parseFlowLimit(request.maxOutstandingMessages);
  const maxBytes = parseFlowLimit(request.maxOutstandingBytes);
  /** The sizes of its outstanding messages, by ack id. */
  const held = new Map<string, number>();
  let heldBytes = 0;
  return {
    kind: 'pull',
    capacity() {
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
      onCapacity();
    },
    end: (reason: StatusError) => void call.emit('error', reason),
  };
}

/** A flow control limit. 0, negative and absent values mean no limit. */
const parseFlowLimit = (text: string | undefined): number =>
  Number(text ?? 0) > 0 ? Number(text) : Infinity;

/** Applies the acks and deadlines of a request. */
function applyRequest(stream: Stream, request: Message, state: PubsubState, deliveries: Deliveries): void {
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

/** @throws StatusError INVALID_ARGUMENT when it sets a field of the first request. */
function checkLaterRequest(request: Message): void {
  for (const field of ['subscription', 'maxOutstandingMessages', 'maxOutstandingBytes', 'protocolVersion']) {
    const value = request[field];
    if (value && value !== '0') throw invalid(`only the first message may set ${field}`);
  }
}

/** @throws StatusError INVALID_ARGUMENT */
function checkDeadline(seconds: number): number {
  const { min, max } = DEADLINE_SECONDS;
  if (seconds < min || seconds > max) {
    throw invalid(`stream_ack_deadline_seconds must be between ${min} and ${max} seconds`);
  }
  return seconds;
}
