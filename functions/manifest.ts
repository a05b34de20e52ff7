// The functions that this project deploys: their triggers, time limits, settings and rights. local/ starts them by this
// list, deploy/ bundles them, and a test compares the gcloud commands of docs/deployment.md with it.

import { TOPICS, type Topic } from '../shared/contract/publisher.ts';

/** The settings that every function is deployed with. */
interface FunctionSettings {
  /** Seconds until Cloud Run ends a call. At most 540 for a topic, 3600 for HTTP. */
  timeoutSeconds: number;
  /** Whether it calls models and tools, and so gets their keys: the model's, and those that servers.yaml names. */
  needsKeys: boolean;
  /** The environment variables that are its own settings. It gets no others, except those of its keys. */
  settings: readonly string[];
  /** The service account that it runs as. Each function has its own, so that they share no rights. */
  serviceAccount: string;
  /** The account's roles in the project, and the topics that it is allowed to publish to. */
  rights: { roles: readonly string[]; publishes: readonly Topic[] };
  /** The instance and its concurrent calls. Null: the default of Cloud Run, 256 MiB and one call. */
  instance: { memory: string; cpus: number; concurrency: number } | null;
}

/** A function that Pub/Sub pushes the messages of a topic to. */
export interface TopicFunction extends FunctionSettings {
  /** How the functions-framework calls it. */
  signature: 'cloudevent';
  topic: Topic;
  /** Seconds Pub/Sub waits for an answer before it delivers a message again; 600 is the most it allows. */
  ackDeadlineSeconds: number;
  /**
   * The topic for messages after this number of failed deliveries (5 to 100). Null: a message is delivered until it
   * expires.
   */
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

/** The settings of every function: its project, emulators instead of Google's services, and the log level. */
const STATE_SETTINGS = [
  'GOOGLE_CLOUD_PROJECT',
  'FIRESTORE_EMULATOR_HOST',
  'PUBSUB_EMULATOR_HOST',
  'LOG_LEVEL',
];
/** The Gemini API and its key. */
const MODEL_SETTINGS = [
  ...['GEMINI_API_KEY', 'GOOGLE_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'GOOGLE_GENAI_API_VERSION'],
  ...['GOOGLE_GENAI_USE_ENTERPRISE', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_VERTEX_BASE_URL'],
  'GOOGLE_CLOUD_LOCATION',
];
/** Every function reads and writes documents, and can start the next iteration. */
const STATE_RIGHTS = { roles: ['roles/datastore.user'], publishes: [TOPICS.iterations] } as const;

/** All functions, in the order in which an alert meets them. */
export const FUNCTIONS = {
  ingestAlert: {
    signature: 'cloudevent',
    topic: TOPICS.alerts,
    timeoutSeconds: 60,
    needsKeys: false,
    settings: [...STATE_SETTINGS, 'INQUEST_CONFIG'],
    serviceAccount: 'inquest-ingest-alert',
    rights: STATE_RIGHTS,
    instance: null,
    ackDeadlineSeconds: 600,
    deadLetters: null,
  },
  runIteration: {
    signature: 'cloudevent',
    topic: TOPICS.iterations,
    // The longest time limit of an event-driven function. The configuration allows an iteration 8 minutes of it.
    timeoutSeconds: 540,
    needsKeys: true,
    settings: [...STATE_SETTINGS, 'INQUEST_CONFIG', ...MODEL_SETTINGS],
    serviceAccount: 'inquest-run-iteration',
    rights: STATE_RIGHTS,
    // It mostly waits for the model, so that calls share an instance and its caches; docs/performance.md has its
    // memory.
    instance: { memory: '1Gi', cpus: 1, concurrency: 20 },
    ackDeadlineSeconds: 600,
    // With the back-off of the trigger, 8 attempts last for about 20 minutes.
    deadLetters: { topic: TOPICS.iterationsDead, maxDeliveryAttempts: 8 },
  },
  buryIteration: {
    signature: 'cloudevent',
    topic: TOPICS.iterationsDead,
    timeoutSeconds: 60,
    needsKeys: false,
    settings: STATE_SETTINGS,
    serviceAccount: 'inquest-bury-iteration',
    rights: STATE_RIGHTS,
    instance: null,
    ackDeadlineSeconds: 600,
    deadLetters: null,
  },
  sweep: {
    signature: 'http',
    everySeconds: 60,
    timeoutSeconds: 300,
    needsKeys: false,
    settings: STATE_SETTINGS,
    serviceAccount: 'inquest-sweep',
    rights: STATE_RIGHTS,
    instance: null,
  },
} as const satisfies Record<string, DeployedFunction>;

/** The name of a function that is deployed. */
export type FunctionName = keyof typeof FUNCTIONS;

/** The name of the HTTP API. */
export const API_NAME = 'api';

/**
 * The HTTP API, a service of Cloud Run. Investigations continue without it, so that it is deployed separately
 * (docs/api.md), and served only by `start`.
 */
export const API = {
  // The time limit of a stream.
  timeoutSeconds: 3600,
  settings: [...STATE_SETTINGS, 'INQUEST_CONFIG', ...MODEL_SETTINGS],
  serviceAccount: 'inquest-api',
  rights: { roles: ['roles/datastore.user'], publishes: [TOPICS.alerts, TOPICS.iterations] },
  // Streams mostly wait.
  instance: { memory: '512Mi', cpus: 1, concurrency: 200 },
} as const;

/** The package with the registry that its own command reads: it must not be bundled a second time. */
export const FRAMEWORK = '@google-cloud/functions-framework';

/** All names, in the order of `FUNCTIONS`. */
export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];

/** Maps each function by name to the result of `make`. */
export function mapFunctions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
  const entries = FUNCTION_NAMES.map((name) => [name, make(name)]);
  return Object.fromEntries(entries) as Record<FunctionName, T>;
}
