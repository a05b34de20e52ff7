// The inputs of the model of capacity, each with its source, and profiles that override them.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { FUNCTIONS, PUSH } from '../../../functions/manifest.ts';
import { describeExpected } from '../../../shared/text/suggest.ts';
import { placedIssue } from '../../../shared/text/zodIssues.ts';
import { ASSUMED, PRICES } from '../money.ts';

/** A number that the simulation needs. */
interface Input {
  value: number;
  /** What it counts. */
  unit: string;
  /** Where the value is from; `ours` where no page has one. */
  source: string;
  /** The least that a profile can set; the value is a whole number then. Absent: any from 0. */
  min?: number;
}

const input = (value: number, unit: string, source: string): Input => ({ value, unit, source });
const whole = (value: number, unit: string, source: string, min = 1): Input => ({ value, unit, source, min });

const MEASURED = 'ours: npm run capacity -- --calibrate, 30 November 2026';
const MANIFEST = 'functions/manifest.ts';
const MONEY = 'ours: docs/performance.md, Money';
const LOCAL_CLOUD = 'docs/local-cloud.md, limits';
const PUSH_DOCS = 'cloud.google.com/pubsub/docs/push#delivery_rate';
const BACKOFF_DOCS = 'cloud.google.com/pubsub/docs/push#push_backoff';
const AUTOSCALING = 'cloud.google.com/run/docs/about-instance-autoscaling';
const PAYGO = 'cloud.google.com/vertex-ai/generative-ai/docs/standard-paygo';
const UNCHECKED = 'ours, unchecked: Google publishes none';

const { ingestAlert, runIteration } = FUNCTIONS;
/** The sweep is not simulated. */
const { scheduledJobMonth: _, ...prices } = PRICES;

/** All inputs by section and name. A profile has the same keys. */
const INPUTS = {
  investigation: {
    iterations: whole(20, 'model calls of an investigation, with the summary one more', MONEY, 2),
    dailyTokens: whole(0, 'tokens of a day in all chains, 0 for off', 'config/system.yaml', 0),
    sessionsPerHour: whole(
      1_000_000,
      'sessions of an hour, 0 for off',
      'ours: the default of 100 opens no more',
      0,
    ),
  },
  model: {
    seconds: input(ASSUMED.modelSeconds, 's an answer', MONEY),
    spread: input(0.5, 'of it, by which an answer is faster or slower at most', 'ours'),
    requestsPerMinute: whole(30_000, 'requests a minute', `${PAYGO}, system limit of a region`),
    tokensPerMinute: whole(10_000_000, 'tokens a minute', `${PAYGO}, Flash, tier 3`),
  },
  tools: { seconds: input(ASSUMED.toolSeconds, 's a call', MONEY) },
  pubsub: {
    window: whole(3_000, 'push requests of a subscription at once, slower than 1 s', PUSH_DOCS),
    firstWindow: whole(3, 'push requests at first', PUSH_DOCS),
    deliverySeconds: input(0.05, 's from publish to request', UNCHECKED),
    firstBackoffSeconds: input(0.1, 's without a push after a failed one', BACKOFF_DOCS),
    mostBackoffSeconds: input(60, 's without a push after many', BACKOFF_DOCS),
    retrySeconds: input(PUSH.minimumBackoffSeconds, 's until a failed message comes again', MANIFEST),
  },
  ingestAlert: {
    maxInstances: whole(ingestAlert.instance.maxInstances, 'instances', MANIFEST),
    concurrency: whole(ingestAlert.instance.concurrency, 'calls of an instance at once', MANIFEST),
  },
  runIteration: {
    maxInstances: whole(runIteration.instance.maxInstances, 'instances', MANIFEST),
    concurrency: whole(runIteration.instance.concurrency, 'calls of an instance at once', MANIFEST),
  },
  run: {
    startSeconds: input(
      2,
      's until a new instance answers',
      'ours: 0.6 s of it measured, docs/performance.md',
    ),
    startProcessorSeconds: input(2.6, 's of processor time of a new process, warm-up included', MEASURED),
    callProcessorSeconds: input(0.014, 's of processor time of a call', MEASURED),
    targetShare: input(0.6, 'of the concurrency, at which instances are added', AUTOSCALING),
    queueSeconds: input(10, 's that a request waits for an instance, then 429', AUTOSCALING),
  },
  firestore: {
    readSeconds: input(0.01, 's a read', UNCHECKED),
    commitSeconds: input(0.03, 's a commit', UNCHECKED),
    documentWrites: input(1, 'writes of a document a second', `${LOCAL_CLOUD}: ours`),
    indexWrites: input(500, 'writes of a growing index a second', LOCAL_CLOUD),
    warmMinutes: input(120, 'min of growing traffic before, 0 for a new database', 'ours'),
  },
  prices: mapValues(prices, (price) => input(price, '$', 'list price, test/bench/money.ts')),
  time: {
    rampSeconds: whole(240, 's until all investigations are open', 'ours'),
    measuredSeconds: whole(180, 's that are measured after them', 'ours'),
  },
} satisfies Record<string, Record<string, Input>>;

type Sections = typeof INPUTS;

/** The value of each input. */
export type Inputs = { [S in keyof Sections]: { [N in keyof Sections[S]]: number } };

const ENTRIES = Object.entries(INPUTS).flatMap(([section, inputs]) =>
  Object.entries(inputs as Record<string, Input>).map(([name, entry]) => ({ section, name, ...entry })),
);

const valueSchema = ({ min }: Input) => (min === undefined ? z.number().min(0) : z.int().min(min)).optional();

const profileSchema = z.strictObject(
  Object.fromEntries(
    Object.entries(INPUTS).map(([section, inputs]) => [
      section,
      z.strictObject(mapValues(inputs as Record<string, Input>, valueSchema)).optional(),
    ]),
  ),
);

/** The inputs without a profile. */
export function defaultInputs(): Inputs {
  return mapValues(INPUTS, (inputs) =>
    mapValues(inputs as Record<string, Input>, ({ value }) => value),
  ) as Inputs;
}

/**
 * The inputs with those of a profile, a file of YAML or JSON.
 * @throws Error with the name of a wrong field, and what to write.
 */
export function readProfile(file: string): Inputs {
  return parseProfile(readFileSync(file, 'utf8'), file);
}

/** @param file names the text in errors. */
export function parseProfile(text: string, file: string): Inputs {
  const value = parse(text) ?? {};
  const read = profileSchema.safeParse(value);
  const issue = read.error?.issues[0];
  if (issue !== undefined) throw new Error(`${file}: ${describeFault(issue, value)}`);
  const profile = read.data as Partial<Record<string, Record<string, number>>>;
  return mapValues(defaultInputs(), (inputs, section) => ({ ...inputs, ...profile[section] })) as Inputs;
}

function describeFault(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code !== 'unrecognized_keys') return placedIssue(issue, value, 'the profile');
  const [section] = issue.path;
  const known = Object.keys(section === undefined ? INPUTS : INPUTS[section as keyof Sections]);
  const name = issue.keys[0] ?? '';
  return `${[...issue.path, name].join('.')}: unknown; ${describeExpected(name, known)}`;
}

/** One line for each input: its name, value and unit, and its source. */
export function describeInputs(inputs: Inputs): string[] {
  return ENTRIES.map(({ section, name, value, unit, source }) => {
    const used = (inputs as Record<string, Record<string, number>>)[section]?.[name] ?? value;
    const shown = `${section}.${name}`.padEnd(34) + String(Number(used.toPrecision(7))).padStart(10);
    return `${shown} ${unit} (${used === value ? source : 'the profile'})`;
  });
}

function mapValues<K extends string, T, R>(
  record: Record<K, T>,
  change: (value: T, key: K) => R,
): Record<K, R> {
  const entries = Object.entries<T>(record).map(([key, value]) => [key, change(value, key as K)]);
  return Object.fromEntries(entries) as Record<K, R>;
}
