// A discrete-event simulation of investigations on Pub/Sub, Cloud Run, Firestore and a model. The same inputs
// and seed give the same outcome.

import { Load } from '../../../packages/local-cloud/src/firestore/limits/loads.ts';
import { createRandom } from '../../../shared/engine/testing/random.ts';
import { ASSUMED, promptTokens } from '../money.ts';
import type { Counted, Message, ServiceName } from './countOperations.ts';
import { createFirestore } from './firestoreLimits.ts';
import type { Inputs } from './inputs.ts';
import { type Handle, type Instance, Service, type Task } from './service.ts';
import { type Process, type Reached, Timeline } from './timeline.ts';

/** The alerts of a simulation. */
export interface Traffic {
  /** Investigations at the same time, when nothing waits. */
  open: number;
  /** All alerts at the first moment, none later, and the simulation ends with the last investigation. */
  isBurst?: boolean;
}

/** What was measured after the ramp. */
export interface Outcome {
  /** How long was measured. */
  seconds: number;
  alerts: number;
  calls: number;
  modelCalls: number;
  reads: number;
  writes: number;
  processorSeconds: number;
  /** Mean number of open investigations. */
  open: number;
  /** Mean seconds of an investigation. */
  duration: number;
  /** Of instances that start or have a call. */
  instanceSeconds: Record<ServiceName, number>;
  /** The most instances. */
  instances: Record<ServiceName, number>;
  /** Seconds from a message's publication until its call. */
  waits: { mean: number; longest: number };
  /** The age of the oldest message without a call, in the end. */
  oldestMessage: number;
  /** The limits that let something wait for more than a second, in the order in which they did. */
  reached: Reached[];
}

/** Ours: ten seconds of a model's rate pass at once. */
const MODEL_BURST_SECONDS = 10;

/** The time from publication to the end of a message when nothing waits. */
export function idealSeconds({ segments, waits }: Message, inputs: Inputs): number {
  const { firestore, model, tools, pubsub, run } = inputs;
  const calls = segments.flat().map(({ isCommit }) => firestore[isCommit ? 'commitSeconds' : 'readSeconds']);
  const waiting = waits.map((wait) => (wait === 'model' ? model.seconds : tools.seconds));
  return sum([...calls, ...waiting, pubsub.deliverySeconds, run.callProcessorSeconds]);
}

/** Alerts a second that keep so many investigations open when nothing waits: Little's law. */
export function alertsPerSecond(open: number, { investigations }: Counted, inputs: Inputs): number {
  const seconds = investigations.flat().map((message) => idealSeconds(message, inputs));
  return (open * investigations.length) / sum(seconds);
}

/** The tokens of a call. @param place of its message; the one after the iterations asks for the summary. */
export const callTokens = (place: number, iterations: number): number =>
  (place > iterations ? ASSUMED.summaryPromptTokens : promptTokens(place)) + ASSUMED.outputTokens;

/** Runs the simulation. */
export function simulate(
  inputs: Inputs,
  counted: Counted,
  { open, isBurst = false }: Traffic,
  seed: number,
): Outcome {
  const { investigation, model, tools, run, time } = inputs;
  const generator = createRandom(seed);
  const random = () => generator.int(0, 0x7fff_ffff) / 0x8000_0000;
  const timeline = new Timeline(isBurst ? 0 : time.rampSeconds);
  const callFirestore = createFirestore(inputs, counted, timeline);
  const quotas = [
    { name: 'model requests', load: new Load(undefined), perMinute: model.requestsPerMinute },
    { name: 'model tokens', load: new Load(undefined), perMinute: model.tokensPerMinute },
  ] as const;
  const sums = { alerts: 0, calls: 0, modelCalls: 0, reads: 0, writes: 0, processor: 0, waits: 0 };
  let longestWait = 0;
  const opened = { seconds: 0, since: 0 };
  const durations: number[] = [];
  let lastEnd = 0;

  const count = (name: keyof typeof sums, by: number) => {
    if (timeline.isMeasured) sums[name] += by;
  };
  const changeOpen = (by: number) => {
    opened.seconds += timeline.open * Math.max(0, timeline.now - Math.max(timeline.from, opened.since));
    opened.since = timeline.now;
    timeline.open += by;
  };
  const publish = (task: Pick<Task, 'messages' | 'place' | 'startedAt'>) =>
    services[findMessage(task).service].add({
      ...task,
      publishedAt: timeline.now,
      failures: 0,
      isGranted: false,
    });
  const startInvestigation = (number: number, place = 0) => {
    changeOpen(1);
    const messages = counted.investigations[number % counted.investigations.length] ?? [];
    publish({ messages, place: place % messages.length, startedAt: place === 0 ? timeline.now : undefined });
  };

  /** How long a call waits for its model's quota. */
  const queueModelCall = (place: number): number =>
    Math.max(
      ...quotas.map(({ name, load, perMinute }) => {
        const rate = { perSecond: perMinute / 60, burst: (MODEL_BURST_SECONDS * perMinute) / 60 };
        const wait = load.wait(timeline.now * 1000, rate) / 1000;
        load.add(
          timeline.now * 1000,
          rate,
          name === 'model tokens' ? callTokens(place, investigation.iterations) : 1,
        );
        timeline.blame(name, wait);
        return wait;
      }),
    );
  /** Calls of one instance use its processor one after the other. */
  function* useProcessor(instance: Instance, seconds: number, name: ServiceName): Process<void> {
    const waited = Math.max(0, instance.freeAt - timeline.now);
    timeline.blame(`processor of ${name}`, waited);
    instance.freeAt = timeline.now + waited + seconds;
    count('processor', seconds);
    yield waited + seconds;
  }
  const handle: Handle = function* handle(task, instance) {
    const { service, segments, waits: between } = findMessage(task);
    const waited = timeline.now - task.publishedAt;
    if (timeline.isMeasured) longestWait = Math.max(longestWait, waited);
    count('waits', waited);
    count('calls', 1);
    if (task.place === 0) count('alerts', 1);
    for (const [part, operations] of segments.entries()) {
      yield* useProcessor(instance, run.callProcessorSeconds / segments.length, service);
      for (const operation of operations) {
        count('reads', operation.reads);
        count('writes', operation.writes);
        if (!(yield* callFirestore(operation))) return 'failed';
      }
      if (between[part] === 'tool') yield tools.seconds;
      if (between[part] !== 'model') continue;
      const postponed = task.isGranted ? 0 : queueModelCall(task.place);
      if (postponed > 0) return { postponed };
      count('modelCalls', 1);
      yield model.seconds * (1 + model.spread * (2 * random() - 1));
    }
    const { messages, place, startedAt } = task;
    if (place + 1 < messages.length) publish({ messages, place: place + 1, startedAt });
    else {
      changeOpen(-1);
      lastEnd = timeline.now;
      if (startedAt !== undefined) durations.push(timeline.now - startedAt);
    }
    return 'done';
  };
  const services: Record<ServiceName, Service> = {
    ingestAlert: new Service('ingestAlert', inputs, timeline, handle),
    runIteration: new Service('runIteration', inputs, timeline, handle),
  };
  const byService = (value: (service: Service) => number) => ({
    ingestAlert: value(services.ingestAlert),
    runIteration: value(services.runIteration),
  });

  /** A Poisson process; while the ramp lasts, its rate grows as the open investigations do. */
  const scheduleAlert = (perSecond: number): void =>
    timeline.after(-Math.log(1 - random()) / perSecond, () => {
      const share = open ** Math.min(0, timeline.now / timeline.from - 1);
      if (random() <= share) startInvestigation(Math.floor(random() * 0x8000_0000));
      scheduleAlert(perSecond);
    });
  if (isBurst) for (let number = 0; number < open; number++) startInvestigation(number);
  else {
    // Investigations in their middle. Their number grows exponentially, more slowly than the push window.
    for (let number = 1; number <= open; number++) {
      const at = (time.rampSeconds * Math.log(number)) / Math.log(open);
      timeline.after(at, () => startInvestigation(number, 1 + Math.floor(random() * 0x8000_0000)));
    }
    scheduleAlert(alertsPerSecond(open, counted, inputs));
  }
  timeline.runUntil(isBurst ? Number.POSITIVE_INFINITY : time.rampSeconds + time.measuredSeconds);
  changeOpen(0);
  for (const service of Object.values(services))
    for (const instance of service.instances) service.countTime(instance);
  // Timers of a burst outlive it.
  const seconds = (isBurst ? lastEnd : timeline.now) - timeline.from;
  const { processor, waits: waitSum, ...counts } = sums;
  const starts = sum(Object.values(services).map((service) => service.starts));
  return {
    seconds,
    ...counts,
    processorSeconds: processor + starts * run.startProcessorSeconds,
    open: opened.seconds / seconds,
    duration: sum(durations) / durations.length,
    instanceSeconds: byService(({ instanceSeconds }) => instanceSeconds),
    instances: byService(({ instances }) => instances.length),
    waits: { mean: waitSum / sums.calls, longest: longestWait },
    oldestMessage: Math.max(...Object.values(services).map((service) => service.oldestAge())),
    reached: [...timeline.reached.values()],
  };
}

function findMessage({ messages, place }: Pick<Task, 'messages' | 'place'>): Message {
  const message = messages[place];
  if (message === undefined) throw new Error(`an investigation has no message ${place}`);
  return message;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
