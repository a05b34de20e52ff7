// The report of `npm run capacity`, line by line.

import { FUNCTIONS } from '../../../functions/manifest.ts';
import { MIN_MESSAGE_BYTES, modelCost, secondOfInstance } from '../money.ts';
import type { Counted, ServiceName } from './countOperations.ts';
import { busySeconds, type Settings } from './findSettings.ts';
import { PACED, WARMING } from './firestoreLimits.ts';
import { describeInputs, type Inputs } from './inputs.ts';
import { alertsPerSecond, type Outcome } from './simulate.ts';

const HOUR = 3_600;
const GIBIBYTES: Record<ServiceName, number> = {
  ingestAlert: readGibibytes(FUNCTIONS.ingestAlert.instance.memory),
  runIteration: readGibibytes(FUNCTIONS.runIteration.instance.memory),
};

/** The inputs with their sources, and the counted operations at the rate of so many investigations. */
export function reportInputs(inputs: Inputs, counted: Counted, open: number): string[] {
  const rate = alertsPerSecond(open, counted, inputs);
  const { reads, writes, messages, documents, collections } = countEach(counted);
  const row = ([name, each]: [string, number]) => {
    const isPaced = PACED.test(name.replace('document ', ''));
    const perSecond = isPaced ? '1 at most' : round(each * rate);
    return `  ${name.padEnd(60)} ${round(each).padStart(8)} ${perSecond.padStart(10)}`;
  };
  return [
    'Inputs (a profile has the same names)',
    ...describeInputs(inputs).map((line) => `  ${line}`),
    '',
    `Counted: of an investigation, and a second with ${open} open (${round(rate)} alerts a second)`,
    ...[
      ['messages', messages],
      ['documents read', reads],
      ['documents written', writes],
    ].map((each) => row(each as [string, number])),
    ...listByRate('document', documents).slice(0, 10).map(row),
    ...listByRate('index', counted.indexes).slice(0, 3).map(row),
    ...listByRate('collection', collections).slice(0, 3).map(row),
  ];
}

/** Where it saturates, and what carries it. */
export function reportSettings(given: Inputs, counted: Counted, open: number, settings: Settings): string[] {
  const { first, steps, installations, inputs, outcome, isCarried } = settings;
  const [reached] = first.reached;
  return [
    reached === undefined
      ? `As configured, ${open} investigations reach no limit.`
      : `As configured, the first limit is reached with about ${round(reached.open)} open investigations: ${reached.name}`,
    ...reportOutcome(first, given, counted, 1),
    ...(steps.length === 0
      ? []
      : ['', 'Limits in the order in which they are reached, and settings that carry it']),
    ...steps.map(
      ({ reached: { name, open: at }, installations: each, change }) =>
        `  ${name}, at about ${round(at)}${each > 1 ? ` in one of ${each}` : ''}: ${change ?? 'no setting raises it; left out from here on'}`,
    ),
    ...(steps.length === 0
      ? []
      : [
          '',
          `With these settings${isCarried ? '' : ' a limit is still reached'}, ${installations} installation${installations > 1 ? 's' : ''} together`,
          ...reportOutcome(outcome, inputs, counted, installations),
        ]),
    '',
    'It takes, together',
    ...reportNeeds(inputs, counted, open, settings),
  ];
}

function reportOutcome(outcome: Outcome, inputs: Inputs, counted: Counted, installations: number): string[] {
  const { prices } = inputs;
  const hourly = (value: number) => (value / outcome.seconds) * HOUR * installations;
  const services = Object.keys(GIBIBYTES) as ServiceName[];
  const functions = services.map(
    (name) => hourly(outcome.instanceSeconds[name]) * secondOfInstance(GIBIBYTES[name], prices),
  );
  const firestore =
    hourly(outcome.reads) * prices.documentRead +
    hourly(outcome.writes) * prices.documentWrite +
    hourly(outcome.alerts) * counted.documents * prices.documentDelete;
  const pubsub = hourly(outcome.calls) * 2 * MIN_MESSAGE_BYTES * prices.messageByte;
  const calls = inputs.investigation.iterations + 1;
  const { cached, uncached } = modelCost(inputs.investigation.iterations, prices);
  const model = (each: number) => (hourly(outcome.modelCalls) / calls) * each;
  const dollars = (values: number[]) => values.map((value) => round(value)).join(' / ');
  return [
    line(
      'open investigations; each takes, s',
      `${round(outcome.open * installations)}; ${round(outcome.duration)}`,
    ),
    line('model calls a second', round(hourly(outcome.modelCalls) / HOUR)),
    line(
      'message until its call, s: mean / longest / oldest in the end',
      dollars([outcome.waits.mean, outcome.waits.longest, outcome.oldestMessage]),
    ),
    line(
      `instances of ${services.join(' / ')}`,
      services.map((name) => outcome.instances[name] * installations).join(' / '),
    ),
    line(
      'instance-seconds an hour',
      services.map((name) => round(hourly(outcome.instanceSeconds[name]))).join(' / '),
    ),
    line('processor-seconds an hour', round(hourly(outcome.processorSeconds))),
    line('documents read / written an hour', dollars([hourly(outcome.reads), hourly(outcome.writes)])),
    line(
      '$ an hour: Firestore / Pub/Sub / functions',
      dollars([firestore, pubsub, sum(functions) + hourly(outcome.calls) * prices.call]),
    ),
    line('$ an hour: model, all it can cached / nothing', dollars([model(cached), model(uncached)])),
  ];
}

/** What has to be had, whether it is set or asked for. */
function reportNeeds(inputs: Inputs, counted: Counted, open: number, settings: Settings): string[] {
  const { installations, outcome } = settings;
  const rate = alertsPerSecond(open, counted, inputs);
  const busiest = Math.max(...Object.values(countEach(counted).collections)) * (rate / installations);
  const periods = Math.max(0, Math.ceil(Math.log(busiest / WARMING.perSecond) / Math.log(WARMING.growth)));
  const services = Object.keys(GIBIBYTES) as ServiceName[];
  const gibibytes = services.map((name) => outcome.instances[name] * GIBIBYTES[name]);
  return [
    line('sessionsPerHour', round(HOUR * rate)),
    line('calls of runIteration at once', round(rate * busySeconds('runIteration', counted, inputs))),
    line(
      'processors / GiB of Cloud Run',
      [sum(services.map((name) => outcome.instances[name])), sum(gibibytes)]
        .map((each) => round(each * installations))
        .join(' / '),
    ),
    line('minutes in which a new database grows to this traffic', String(periods * WARMING.minutes)),
  ];
}

/** Of an investigation. */
function countEach({ investigations }: Counted) {
  const messages = investigations.flat();
  const operations = messages.flatMap(({ segments }) => segments.flat());
  const share = 1 / investigations.length;
  const documents: Record<string, number> = {};
  const collections: Record<string, number> = {};
  for (const operation of operations) {
    for (const name of operation.documents) documents[name] = (documents[name] ?? 0) + share;
    for (const [name, count] of Object.entries(operation.collections))
      collections[name] = (collections[name] ?? 0) + count * share;
  }
  return {
    messages: messages.length * share,
    reads: sum(operations.map(({ reads }) => reads)) * share,
    writes: sum(operations.map(({ writes }) => writes)) * share,
    documents,
    collections,
  };
}

const line = (name: string, value: string): string => `  ${name.padEnd(62)} ${value}`;

const listByRate = (kind: string, rates: Record<string, number>): [string, number][] =>
  Object.entries(rates)
    .sort(([, one], [, other]) => other - one)
    .map(([name, each]) => [`${kind} ${name}`, each]);

/** Three digits that mean something. */
function round(value: number): string {
  if (!Number.isFinite(value)) return '-';
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US');
  return String(Number(value.toPrecision(2)));
}

function readGibibytes(memory: string): number {
  return memory.endsWith('Gi') ? Number.parseFloat(memory) : Number.parseFloat(memory) / 1024;
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
