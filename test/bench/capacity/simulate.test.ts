import { expect, it } from 'vitest';
import type { Counted, Message, Operation } from './countOperations.ts';
import { findSettings } from './findSettings.ts';
import { defaultInputs, type Inputs } from './inputs.ts';
import { reportSettings } from './report.ts';
import { simulate } from './simulate.ts';

const UNLIMITED = 1_000_000_000;
const commit: Operation = {
  isCommit: true,
  reads: 0,
  writes: 2,
  collections: { sessions: 2 },
  documents: ['usage/tokens.*'],
};
const iteration: Message = { service: 'runIteration', segments: [[commit], [commit]], waits: ['model'] };
/** An alert, ten iterations and the summary. */
const INVESTIGATION: Message[] = [
  { service: 'ingestAlert', segments: [[commit]], waits: [] },
  ...Array<Message>(11).fill(iteration),
];
const COUNTED: Counted = {
  investigations: [INVESTIGATION],
  documents: 10,
  indexes: { 'all executions (dueAt)': 46 },
};

/** Inputs whose limits nothing reaches, with changes by name, `model.seconds`. */
function setInputs(changes: Record<string, number> = {}): Inputs {
  const inputs = defaultInputs() as unknown as Record<string, Record<string, number>>;
  const free = {
    'investigation.iterations': 10,
    'model.requestsPerMinute': UNLIMITED,
    'model.tokensPerMinute': UNLIMITED,
    'ingestAlert.maxInstances': 1_000,
    'runIteration.maxInstances': 1_000,
    'pubsub.window': UNLIMITED,
    'firestore.documentWrites': UNLIMITED,
    'firestore.indexWrites': UNLIMITED,
    'time.measuredSeconds': 60,
  };
  for (const [name, value] of Object.entries({ ...free, ...changes })) {
    const [section = '', key = ''] = name.split('.');
    const values = inputs[section];
    if (values?.[key] === undefined) throw new Error(`there is no input ${name}`);
    values[key] = value;
  }
  return inputs as unknown as Inputs;
}

/** Messages that take a second each, and nothing beside it. */
const CALL: Message = { service: 'runIteration', segments: [[], []], waits: ['tool'] };
const CALLS: Counted = { investigations: [[CALL]], documents: 0, indexes: {} };

/** Inputs of these calls. */
const setCalls = (changes: Record<string, number>) =>
  setInputs({
    'tools.seconds': 1,
    'pubsub.deliverySeconds': 0,
    'run.startSeconds': 0,
    'run.startProcessorSeconds': 0,
    'run.callProcessorSeconds': 0,
    ...changes,
  });

/** A queue with Poisson arrivals. */
function simulateQueue(servers: number, load: number, seconds: number) {
  const inputs = setCalls({
    'runIteration.maxInstances': 1,
    'runIteration.concurrency': servers,
    'pubsub.firstWindow': UNLIMITED,
    'run.queueSeconds': UNLIMITED,
    'time.measuredSeconds': seconds,
  });
  return simulate(inputs, CALLS, { open: servers * load }, 7);
}

it.each([0.5, 0.8])('waits as an M/D/1 queue with a load of %s', (load) => {
  const { waits } = simulateQueue(1, load, 100_000);
  const expected = load / (2 * (1 - load));
  expect(waits.mean / expected).toBeGreaterThan(0.93);
  expect(waits.mean / expected).toBeLessThan(1.07);
});

it('is saturated when an M/D/c queue is', () => {
  expect(simulateQueue(20, 0.6, 10_000).reached).toEqual([]);
  const { reached, oldestMessage, alerts } = simulateQueue(20, 1.2, 1_000);
  expect(reached.map(({ name }) => name)).toEqual(['instances of runIteration']);
  // All servers are busy, and one in six arrivals waits longer and longer.
  expect(alerts / 1_000).toBeCloseTo(20, 0);
  expect(oldestMessage).toBeGreaterThan(150);
});

it('keeps Little’s law, and counts instances while they have calls', () => {
  const { open, alerts, seconds, duration, instanceSeconds } = simulateQueue(20, 0.7, 20_000);
  expect(open / ((alerts / seconds) * duration)).toBeCloseTo(1, 1);
  expect(instanceSeconds.runIteration).toBeLessThanOrEqual(seconds);
  const single = simulateQueue(1, 0.7, 20_000);
  expect(single.instanceSeconds.runIteration / single.seconds).toBeCloseTo(0.7, 1);
});

it('has a push window that grows by each success', () => {
  const run = (firstWindow: number) =>
    simulate(setCalls({ 'pubsub.firstWindow': firstWindow }), CALLS, { open: 93, isBurst: true }, 1).seconds;
  // 3, 6, 12, 24 and 48 at once.
  expect(run(3)).toBeCloseTo(5);
  expect(run(93)).toBeCloseTo(1);
});

it('is determined by the seed', () => {
  const run = (seed: number) => simulate(setInputs(), COUNTED, { open: 200 }, seed);
  expect(run(1)).toEqual(run(1));
  expect(run(1)).not.toEqual(run(2));
});

it('has as many investigations as it is given, and no waits, when nothing is limited', () => {
  const { open, reached, waits, modelCalls, calls, oldestMessage } = simulate(
    setInputs(),
    COUNTED,
    { open: 500 },
    1,
  );
  expect(reached).toEqual([]);
  expect(Math.abs(open - 500)).toBeLessThan(50);
  expect(waits.longest).toBeLessThan(0.1);
  expect(oldestMessage).toBeLessThan(0.1);
  expect(modelCalls / calls).toBeCloseTo(11 / 12, 1);
});

it.each<[string, number, string, Record<string, number>?]>([
  ['runIteration.maxInstances', 5, 'instances of runIteration'],
  ['runIteration.concurrency', 1, 'instances of runIteration', { 'runIteration.maxInstances': 100 }],
  [
    'ingestAlert.concurrency',
    1,
    'instances of ingestAlert',
    { 'ingestAlert.maxInstances': 1, 'firestore.commitSeconds': 1 },
  ],
  ['pubsub.window', 50, 'push window of runIteration'],
  ['model.requestsPerMinute', 1_000, 'model requests'],
  ['model.tokensPerMinute', 5_000_000, 'model tokens'],
  ['firestore.documentWrites', 10, 'document usage/tokens.*'],
  ['firestore.indexWrites', 50, 'index all executions (dueAt)'],
  ['run.callProcessorSeconds', 5, 'processor of runIteration', { 'runIteration.concurrency': 100 }],
])('names %s of %d first', (name, value, expected, others = {}) => {
  const { reached } = simulate(setInputs({ ...others, [name]: value }), COUNTED, { open: 500 }, 1);
  expect(reached[0]?.name).toBe(expected);
});

it('does not limit documents that are paced however many instances there are', () => {
  const paced = { ...commit, documents: ['allowances/tokens.*.0'] };
  const messages = INVESTIGATION.map((message) => ({
    ...message,
    segments: message.segments.map(() => [paced]),
  }));
  const inputs = setInputs({ 'firestore.documentWrites': 10 });
  expect(simulate(inputs, { ...COUNTED, investigations: [messages] }, { open: 500 }, 1).reached).toEqual([]);
});

it('names a collection first that had no traffic before', () => {
  const inputs = setInputs({ 'firestore.warmMinutes': 0 });
  expect(simulate(inputs, COUNTED, { open: 1_500 }, 1).reached[0]?.name).toBe('collection sessions');
  expect(simulate(inputs, COUNTED, { open: 500 }, 1).reached).toEqual([]);
});

it('fails messages that Cloud Run refuses, and delivers them again', () => {
  const inputs = setInputs({ 'runIteration.maxInstances': 2, 'time.measuredSeconds': 600 });
  const { modelCalls, seconds, oldestMessage } = simulate(inputs, COUNTED, { open: 500 }, 1);
  // Two instances with twenty calls of eight seconds each.
  expect(modelCalls / seconds).toBeGreaterThan(4);
  expect(modelCalls / seconds).toBeLessThan(5);
  expect(oldestMessage).toBeGreaterThan(300);
});

it('finds settings that carry the investigations, and says what no setting raises', () => {
  const inputs = setInputs({
    'runIteration.maxInstances': 5,
    'pubsub.window': 300,
    'model.tokensPerMinute': 5_000_000,
    'firestore.documentWrites': 10,
  });
  const settings = findSettings(inputs, COUNTED, 500, 1);
  expect(settings.isCarried).toBe(true);
  expect(settings.first.reached.length).toBeGreaterThan(0);
  expect(settings.installations).toBe(3);
  expect(settings.steps.map(({ reached, change }) => [reached.name, change])).toEqual([
    ['document usage/tokens.*', null],
    ['instances of runIteration', expect.stringMatching(/^runIteration\.maxInstances from 5 to \d+$/)],
    ['model tokens', expect.stringMatching(/^model\.tokensPerMinute from 5000000 to \d+$/)],
    ['push window of runIteration', expect.stringContaining('installations from 1 to 3')],
  ]);
  expect(inputs.runIteration.maxInstances).toBe(5);
  const report = reportSettings(inputs, COUNTED, 500, settings).join('\n');
  expect(report).toMatch(/the first limit is reached with about \d+ open investigations: document usage/);
  expect(report).toMatch(/document usage\/tokens\.\*, at about \d+: no setting raises it/);
  expect(report).toContain('With these settings, 3 installations together');
});
