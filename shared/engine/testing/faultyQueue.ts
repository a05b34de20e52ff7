// Simulates a queue with push subscriptions: it delivers at least once, late, in any order, and may lose
// messages of iterations.

import { type ConsumedTopic, TOPICS } from '../../core/contract/publisher.ts';
import { RetryableError } from '../../core/errors.ts';
import { messageBytes } from '../../store/messageBytes.ts';
import type { FaultWorld } from './faults.ts';
import { callRemote, type SimulatedProcess } from './simulatedProcess.ts';
import type { VirtualTime } from './virtualTime.ts';

/** Pub/Sub's back-off, as the subscriptions configure it. */
const MIN_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 600_000;
const ACK_DEADLINE_MS = 600_000;
const HOUR_MS = 3_600_000;
/** Copies of each message in a storm, beside itself. */
const STORM_COPIES = 4;
/** The largest number of copies in a burst. */
const MAX_BURST = 8;

/** A message of the queue. */
export interface QueuedMessage {
  id: string;
  topic: ConsumedTopic;
  data: Buffer;
  attributes: Record<string, string>;
  /** ISO 8601. */
  publishTime: string;
  /** Number of failed deliveries. */
  failures: number;
  /** Acked, lost, or moved to the dead letters: no further delivery is required. */
  settled: boolean;
}

/**
 * Ends a delivery.
 * @param note called if the queue still waits for the answer.
 */
type Answer = (error?: unknown, note?: () => void) => void;

/** The subscribers of a queue. */
interface Subscribers {
  /** Whether a delivery is refused before its function starts. */
  refuses?(message: QueuedMessage): boolean;
  /** Prepares the function of a message. @returns its start. */
  accept(message: QueuedMessage): (answer: Answer) => void;
  /** Called when a message becomes a dead letter. */
  noteDeadLetter?(): void;
}

/** The queue. */
export interface FaultyQueue {
  /** Accepts a message and schedules its deliveries. */
  publish(topic: ConsumedTopic, data: unknown, attributes: Record<string, string>): QueuedMessage;
  messages: readonly QueuedMessage[];
  /** Whether every message is settled and no delivery is under way. */
  isQuiet(): boolean;
  /** Whether no delivery is to come either, of copies of settled messages. */
  isSilent(): boolean;
}

/** A queue of a simulated world. */
export function faultyQueue(subscribers: Subscribers, world: FaultWorld): FaultyQueue {
  const { time, random } = world;
  const messages: QueuedMessage[] = [];
  let underWay = 0;
  let scheduled = 0;

  /** A burst's copies are one delivery to the queue: one counts as failed, and is repeated. */
  const deliver = (message: QueuedMessage, isCopy = false): void => {
    const handleFailure = () => void (isCopy || handleFailedDelivery(message));
    if (world.drawFault('delivery_dropped')) {
      time.after(random.pick([10_000, ACK_DEADLINE_MS]), () => handleFailure());
      return;
    }
    if (subscribers.refuses?.(message)) {
      time.after(world.drawMs(10, 100), () => handleFailure());
      return;
    }
    underWay++;
    const start = subscribers.accept(message);
    world.traceLine(`${message.topic} message ${message.id} is delivered: ${message.data}`);
    let answered = false;
    const deadline = time.now() + ACK_DEADLINE_MS;
    time.after(ACK_DEADLINE_MS, () => !answered && handleFailure());
    start((error, note) => {
      underWay--;
      if (time.now() >= deadline) return;
      answered = true;
      note?.();
      if (error !== undefined) {
        handleFailure();
      } else if (world.drawFault('ack_lost')) {
        deliverLater(message, world.drawMs(10_000, ACK_DEADLINE_MS));
      } else {
        message.settled = true;
        if (world.drawFault('acked_again'))
          deliverLater(message, world.drawMs(0, random.pick([1, 8]) * HOUR_MS));
      }
    });
  };

  const deliverLater = (message: QueuedMessage, ms: number, isCopy = false): void => {
    // A copy of a settled message does not change its state.
    scheduled++;
    time.after(ms, () => {
      scheduled--;
      deliver(message, isCopy);
      if (world.plan.storm !== 'burst' || isCopy) return;
      for (let copy = 1; copy <= STORM_COPIES; copy++) deliver(message, true);
    });
  };

  const handleFailedDelivery = (message: QueuedMessage): void => {
    message.failures++;
    const isIteration = message.topic === TOPICS.iterations;
    if (isIteration && !message.settled && world.drawFault('redelivery_lost')) {
      message.settled = true;
      world.traceLine(`${message.topic} message ${message.id} is lost`);
      return;
    }
    if (isIteration && !message.settled && message.failures >= world.plan.maxDeliveryAttempts) {
      message.settled = true;
      subscribers.noteDeadLetter?.();
      const count = { CloudPubSubDeadLetterSourceDeliveryCount: String(message.failures) };
      publish(TOPICS.iterationsDead, message.data, { ...message.attributes, ...count });
      return;
    }
    const backoff = Math.min(MIN_BACKOFF_MS * 2 ** Math.min(message.failures - 1, 10), MAX_BACKOFF_MS);
    if (!message.settled || message.failures < 3) deliverLater(message, random.int(backoff / 2, backoff));
  };

  const publish: FaultyQueue['publish'] = (topic, data, attributes) => {
    const message = describeMessage(messages.length + 1, topic, data, attributes, time);
    messages.push(message);
    if (world.drawFault('message_lost') && topic === TOPICS.iterations) {
      message.settled = true;
      world.traceLine(`${topic} message ${message.id} is lost`);
      return message;
    }
    const late = world.drawFault('delivery_delayed') ? world.drawMs(100, 30_000) : world.drawMs(5, 50);
    deliverLater(message, late);
    // Dead letters are few: copies publish messages, and bursts of bursts would multiply.
    if (topic !== TOPICS.iterationsDead && world.drawFault('message_burst')) {
      for (let copy = random.int(2, MAX_BURST); copy > 0; copy--) deliverLater(message, late, true);
    }
    if (world.plan.storm === 'late') {
      for (let copy = 1; copy <= STORM_COPIES; copy++) deliverLater(message, world.drawMs(0, 30_000), true);
    }
    if (world.drawFault('message_duplicated'))
      deliverLater(message, random.chance(0.5) ? late : world.drawMs(0, 120_000));
    return message;
  };

  return {
    publish,
    messages,
    isSilent: () => scheduled === 0 && underWay === 0,
    isQuiet: () => underWay === 0 && messages.every(({ settled }) => settled),
  };
}

function describeMessage(
  number: number,
  topic: ConsumedTopic,
  data: unknown,
  attributes: Record<string, string>,
  time: VirtualTime,
): QueuedMessage {
  const publishTime = new Date(time.now()).toISOString();
  const id = String(number);
  return { id, topic, data: messageBytes(data), attributes, publishTime, failures: 0, settled: false };
}

/**
 * Publishes as a process does: slowly, and perhaps not at all, twice, or without an answer.
 * @param accept puts the message into the queue.
 * @param note called when the queue has accepted it; `isLost` if the process is not told.
 * @throws RetryableError `PUBLISH_FAILED`.
 */
export async function publishFaulty(
  process: SimulatedProcess,
  accept: () => string,
  world: FaultWorld,
  note: (isLost: boolean) => void = () => {},
): Promise<string> {
  const failed = () => Promise.reject(new RetryableError('PUBLISH_FAILED', 'not published'));
  const latency = world.drawFault('publish_slow') ? world.drawMs(1_000, 15_000) : world.drawMs(5, 40);
  if (world.drawFault('publish_failed')) return await callRemote(process, failed, latency, world);
  const lost = world.drawFault('publish_answer_lost');
  const doubled = world.drawFault('publish_doubled');
  const acceptMessage = async () => {
    const id = accept();
    if (doubled) accept();
    note(lost);
    return lost ? await failed() : id;
  };
  return await callRemote(process, acceptMessage, latency, world);
}
