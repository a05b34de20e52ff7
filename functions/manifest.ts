// The functions this project deploys: what calls each, for how long it may run, and what it is given.
// local/ starts them by this list, deploy/ bundles them, and a test compares README's gcloud commands with it.

import { TOPICS, type Topic } from '../shared/contract/publisher.ts';

/** What every function is deployed with. */
interface FunctionSettings {
  /** Seconds until Cloud Run ends a call. At most 540 for a topic, 3600 for HTTP. */
  timeoutSeconds: number;
  /** Whether it asks models and runs tools, and so is given their keys: the model's, and those that servers.yaml names. */
  needsKeys: boolean;
  /** The instance and how many calls it may have at once. Null: what Cloud Run gives, 256 MiB and one call. */
  instance: { memory: string; cpus: number; concurrency: number } | null;
}

/** A function that Pub/Sub pushes the messages of a topic to. */
export interface TopicFunction extends FunctionSettings {
  /** How the functions-framework calls it. */
  signature: 'cloudevent';
  topic: Topic;
  /** Seconds Pub/Sub waits for an answer before it delivers a message again; 600 is the most it allows. */
  ackDeadlineSeconds: number;
  /** Where a message goes after so many failed deliveries (5 to 100). Null: it is delivered until it expires. */
  deadLetters: { topic: Topic; maxDeliveryAttempts: number } | null;
}

/** A function that a schedule calls with an empty HTTP POST. */
export interface ScheduledFunction extends FunctionSettings {
  /** How the functions-framework calls it. */
  signature: 'http';
  /** Seconds between two calls. Cloud Scheduler counts in whole minutes. */
  everySeconds: number;
}

/** A function that is deployed. Its module in this folder, its entry point and its service have its name. */
export type DeployedFunction = TopicFunction | ScheduledFunction;

/** All functions, in the order in which an alert meets them. */
export const FUNCTIONS = {
  ingestAlert: {
    signature: 'cloudevent',
    topic: TOPICS.alerts,
    timeoutSeconds: 60,
    needsKeys: false,
    instance: null,
    ackDeadlineSeconds: 600,
    deadLetters: null,
  },
  runIteration: {
    signature: 'cloudevent',
    topic: TOPICS.iterations,
    // The most an event-driven function may take. The configuration allows an iteration 8 minutes of them.
    timeoutSeconds: 540,
    needsKeys: true,
    // It mostly waits for the model, so that calls share an instance and what it keeps; docs/performance.md has its memory.
    instance: { memory: '512Mi', cpus: 1, concurrency: 20 },
    ackDeadlineSeconds: 600,
    // With the back-off of the trigger, 8 attempts last for about 20 minutes.
    deadLetters: { topic: TOPICS.iterationsDead, maxDeliveryAttempts: 8 },
  },
  buryIteration: {
    signature: 'cloudevent',
    topic: TOPICS.iterationsDead,
    timeoutSeconds: 60,
    needsKeys: false,
    instance: null,
    ackDeadlineSeconds: 600,
    deadLetters: null,
  },
  sweep: {
    signature: 'http',
    everySeconds: 60,
    timeoutSeconds: 300,
    needsKeys: false,
    instance: null,
  },
} as const satisfies Record<string, DeployedFunction>;

/** The name of a function that is deployed. */
export type FunctionName = keyof typeof FUNCTIONS;

/** All names, in the order of `FUNCTIONS`. */
export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];

/** What `make` gives for each function, by name. */
export function mapFunctions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
  const entries = FUNCTION_NAMES.map((name) => [name, make(name)]);
  return Object.fromEntries(entries) as Record<FunctionName, T>;
}
