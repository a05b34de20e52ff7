// The services that this project deploys: their triggers, time limits, settings and rights. local/ starts
// them by this list, deploy/ bundles them and writes it into dist/manifest.json, and a test compares the
// gcloud commands of docs/deploy-by-hand.md with it.

import type { VariableUse } from '../shared/contract/configVariable.ts';
import { OFF_VARIABLE, type Off, type Switchable } from '../shared/contract/switches.ts';
import { MAX_DELIVERIES, TOPICS, type Topic } from '../shared/core/contract/publisher.ts';

interface ServiceSettings {
  /** Its feature: where that is off, it is not deployed. Absent: it is always deployed. */
  feature?: Switchable;
  /** Seconds until Cloud Run ends a call. At most 540 for a topic, 3600 for HTTP. */
  timeoutSeconds: number;
  /** The environment variables that are its own settings. It gets no others, except those of `uses`. */
  settings: readonly string[];
  /** The variables of the configuration that it gets, for example the keys of models and of tools. */
  uses: readonly VariableUse[];
  /**
   * The id of the service account that it runs as, without the prefix of the installation. Each service has
   * its own, so that they share no rights. At most 13 characters: with a prefix of 16, Google accepts 30.
   */
  serviceAccount: string;
  /** The account's roles in the project, and the topics that it is allowed to publish to. */
  rights: { roles: readonly string[]; publishes: readonly Topic[] };
  instance: Instance;
}

/** The instances of a service. */
export interface Instance {
  /** Memory limit in the notation of Kubernetes: `512Mi`. */
  memory: string;
  /** CPU limit. At least 1, which Cloud Run requires for more than one call at once. */
  cpus: number;
  /** Calls that an instance handles at the same time. */
  concurrency: number;
  /** Instances that are kept while there is nothing to do. */
  minInstances: number;
  /** Largest number of instances. Pub/Sub delivers again when all of them are busy. */
  maxInstances: number;
}

/** A function that Pub/Sub pushes the messages of a topic to. */
export interface TopicFunction extends ServiceSettings {
  trigger: 'topic';
  /** The topic whose messages it gets. */
  topic: Topic;
  /** Seconds Pub/Sub waits for an answer before it delivers a message again; 600 is the most it allows. */
  ackDeadlineSeconds: number;
  /**
   * The topic for messages after this number of failed deliveries (5 to 100). Null: a message is delivered
   * until it expires.
   */
  deadLetters: { topic: Topic; maxDeliveryAttempts: number } | null;
}

/** A function that a schedule calls with an empty HTTP POST. */
interface ScheduledFunction extends ServiceSettings {
  trigger: 'schedule';
  /** Seconds between two calls. Cloud Scheduler counts in whole minutes. */
  everySeconds: number;
}

/** A service that answers HTTP requests itself, without the functions-framework. */
interface HttpService extends ServiceSettings {
  trigger: 'http';
  /** Who passes Google's check: everyone (the service authenticates), or accounts of IAP. */
  invoker: 'public' | 'iap';
}

/** A function that is deployed. Its module in this folder, its entry point and its service have its name. */
type DeployedFunction = TopicFunction | ScheduledFunction;

/** Emulators instead of Google's services. Never set on Google Cloud. */
export const EMULATOR_SETTINGS: readonly string[] = ['FIRESTORE_EMULATOR_HOST', 'PUBSUB_EMULATOR_HOST'];
/** The key of the Gemini API; the second name has precedence. */
export const MODEL_KEYS: readonly string[] = ['GEMINI_API_KEY', 'GOOGLE_API_KEY'];
/**
 * The settings of every service: its name, its project, the prefix of its topics, its database, the log
 * level, and the folder of the configuration, in which each reads telemetry.yaml.
 */
const STATE_SETTINGS = [
  'INQUEST_SERVICE',
  'GOOGLE_CLOUD_PROJECT',
  'INQUEST_NAME',
  'FIRESTORE_DATABASE',
  'LOG_LEVEL',
  'INQUEST_CONFIG',
  'INQUEST_TELEMETRY',
  OFF_VARIABLE,
  ...EMULATOR_SETTINGS,
];
/** Where the Gemini API is. */
const GEMINI_SETTINGS = ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_GENAI_API_VERSION'];
/** The Gemini API, or Vertex AI. */
const MODEL_SETTINGS = [
  ...MODEL_KEYS,
  ...GEMINI_SETTINGS,
  'GOOGLE_GENAI_USE_ENTERPRISE',
  'GOOGLE_GENAI_USE_VERTEXAI',
  'GOOGLE_VERTEX_BASE_URL',
  'GOOGLE_CLOUD_LOCATION',
];
/** The address of the first member, for the services that read access.yaml. */
const FIRST_MEMBER = 'INQUEST_FIRST_MEMBER';
/** Every function reads and writes documents, starts iterations and deliveries of messages. */
const STATE_RIGHTS = {
  roles: ['roles/datastore.user'],
  publishes: [TOPICS.iterations, TOPICS.deliveries],
} as const;

/** All functions, in the order in which an alert meets them. */
export const FUNCTIONS = {
  ingestAlert: {
    trigger: 'topic',
    topic: TOPICS.alerts,
    timeoutSeconds: 60,
    settings: STATE_SETTINGS,
    uses: ['telemetry'],
    serviceAccount: 'ingest',
    rights: STATE_RIGHTS,
    instance: { memory: '512Mi', cpus: 1, concurrency: 8, minInstances: 0, maxInstances: 5 },
    ackDeadlineSeconds: 600,
    // The most that Pub/Sub allows. A faulty alert is recorded and acknowledged, so that only outages and
    // crashes use up attempts: with the back-off of PUSH, 100 of them last for 16 hours, from an evening to
    // the next morning.
    deadLetters: { topic: TOPICS.alertsDead, maxDeliveryAttempts: 100 },
  },
  runIteration: {
    trigger: 'topic',
    topic: TOPICS.iterations,
    // The longest time limit of an event-driven function; an iteration can use 8 minutes.
    timeoutSeconds: 540,
    settings: [...STATE_SETTINGS, ...MODEL_SETTINGS],
    uses: ['gemini', 'providers', 'tools', 'telemetry', 'verifying'],
    serviceAccount: 'run',
    rights: STATE_RIGHTS,
    // It mostly waits for the model, so that calls share an instance and its caches; docs/performance.md has
    // its memory.
    instance: { memory: '1Gi', cpus: 1, concurrency: 20, minInstances: 0, maxInstances: 10 },
    ackDeadlineSeconds: 600,
    // With the back-off of PUSH, 8 attempts last for about 20 minutes.
    deadLetters: { topic: TOPICS.iterationsDead, maxDeliveryAttempts: MAX_DELIVERIES },
  },
  buryIteration: {
    trigger: 'topic',
    topic: TOPICS.iterationsDead,
    timeoutSeconds: 60,
    settings: STATE_SETTINGS,
    uses: ['telemetry'],
    serviceAccount: 'bury',
    rights: STATE_RIGHTS,
    instance: { memory: '512Mi', cpus: 1, concurrency: 8, minInstances: 0, maxInstances: 2 },
    ackDeadlineSeconds: 600,
    deadLetters: null,
  },
  sweep: {
    trigger: 'schedule',
    everySeconds: 60,
    timeoutSeconds: 300,
    // Cloud Monitoring requires the region of metrics.
    settings: [...STATE_SETTINGS, 'INQUEST_REGION', ...GEMINI_SETTINGS],
    // It deletes questions that nobody waits for.
    uses: ['background', 'telemetry'],
    serviceAccount: 'sweep',
    // It publishes canaries and checks.
    rights: { ...STATE_RIGHTS, publishes: [...STATE_RIGHTS.publishes, TOPICS.alerts] },
    // Two sweeps at the same time would do the same work twice.
    instance: { memory: '512Mi', cpus: 1, concurrency: 1, minInstances: 0, maxInstances: 1 },
  },
  deliver: {
    trigger: 'topic',
    feature: 'deliveries',
    topic: TOPICS.deliveries,
    // A destination takes up to 20 s for a message, and a session has several.
    timeoutSeconds: 300,
    settings: [...STATE_SETTINGS, 'PUBLIC_URL', FIRST_MEMBER],
    // Only this service has destinations' tokens. It verifies presses and signs their decisions.
    uses: ['destinations', 'telemetry', 'signing', 'verifying'],
    serviceAccount: 'deliver',
    // It requests the sessions of questions.
    rights: { ...STATE_RIGHTS, publishes: [...STATE_RIGHTS.publishes, TOPICS.alerts] },
    instance: { memory: '512Mi', cpus: 1, concurrency: 20, minInstances: 0, maxInstances: 3 },
    ackDeadlineSeconds: 600,
    // A message only names documents: the sweep publishes it again while they are due, so that none is lost.
    deadLetters: null,
  },
  ingestChange: {
    trigger: 'topic',
    feature: 'changes',
    topic: TOPICS.changes,
    timeoutSeconds: 60,
    settings: STATE_SETTINGS,
    uses: ['telemetry'],
    serviceAccount: 'change',
    // It starts nothing.
    rights: { roles: ['roles/datastore.user'], publishes: [] },
    instance: { memory: '512Mi', cpus: 1, concurrency: 20, minInstances: 0, maxInstances: 3 },
    ackDeadlineSeconds: 600,
    // A message that can never be accepted is recorded and acknowledged.
    deadLetters: null,
  },
} as const satisfies Record<string, DeployedFunction>;

/** The name of a function that is deployed. */
export type FunctionName = keyof typeof FUNCTIONS;

/** Settings of push subscriptions. A failed message comes again after 10 s, later 10 minutes. */
export const PUSH = { retentionDays: 7, minimumBackoffSeconds: 10, maximumBackoffSeconds: 600 } as const;

/** The topic that only people read, for the longest time that Pub/Sub allows. */
export const PULLED = { topic: TOPICS.alertsDead, retentionDays: 31 } as const;

/** The name of the HTTP API. One machine has only this service, which serves the page too. */
export const API_NAME = 'api';

const HTTP_SETTINGS = [...STATE_SETTINGS, 'INQUEST_ACCESS', FIRST_MEMBER, ...MODEL_SETTINGS];

const HTTP_SERVICE = {
  trigger: 'http',
  // The time limit of a stream.
  timeoutSeconds: 3600,
  rights: {
    roles: ['roles/datastore.user'],
    publishes: [TOPICS.alerts, TOPICS.changes, TOPICS.iterations, TOPICS.deliveries],
  },
} as const;
/** Streams mostly wait. */
const HTTP_INSTANCE = { memory: '512Mi', cpus: 1, concurrency: 200, minInstances: 0 } as const;

/**
 * The services of Cloud Run that answer people and programs, both from the module of the API. Investigations
 * continue without them. `INQUEST_SERVICE` selects the callers: `api` accepts keys, webhooks and Firebase
 * tokens; `console` accepts people who passed IAP, and serves the page.
 */
export const HTTP_SERVICES = {
  api: {
    ...HTTP_SERVICE,
    invoker: 'public',
    settings: HTTP_SETTINGS,
    uses: ['gemini', 'webhooks', 'proofs', 'telemetry', 'signing', 'apiKeys'],
    serviceAccount: 'api',
    instance: { ...HTTP_INSTANCE, maxInstances: 5 },
  },
  console: {
    ...HTTP_SERVICE,
    invoker: 'iap',
    settings: [...HTTP_SETTINGS, 'IAP_AUDIENCE'],
    uses: ['gemini', 'telemetry', 'signing'],
    serviceAccount: 'console',
    instance: { ...HTTP_INSTANCE, maxInstances: 3 },
  },
} as const satisfies Record<string, HttpService>;

/** Every service that is deployed. */
export const SERVICES = { ...FUNCTIONS, ...HTTP_SERVICES } as const;

/** The name of a service that is deployed. */
export type ServiceName = keyof typeof SERVICES;

/** All names, in the order of `FUNCTIONS`. */
export const FUNCTION_NAMES = Object.keys(FUNCTIONS) as FunctionName[];

/** The names of `HTTP_SERVICES`. */
export const HTTP_SERVICE_NAMES = Object.keys(HTTP_SERVICES) as (keyof typeof HTTP_SERVICES)[];

/** All names, in the order of `SERVICES`. */
export const SERVICE_NAMES = Object.keys(SERVICES) as ServiceName[];

/** Whether a service is deployed where these features are off. */
export function isDeployed(name: ServiceName, off: Off): boolean {
  const { feature }: ServiceSettings = SERVICES[name];
  return feature === undefined || !off.has(feature);
}

/** The topics where these features are off: those of functions that are not deployed do not exist. */
export function listTopics(off: Off): Topic[] {
  const leftOut = Object.entries(FUNCTIONS).flatMap(([name, settings]) =>
    'topic' in settings && !isDeployed(name as FunctionName, off) ? [settings.topic] : [],
  );
  return Object.values(TOPICS).filter((topic) => !leftOut.some((one) => one === topic));
}

/** Maps each function by name to the result of `make`. */
export function mapFunctions<T>(make: (name: FunctionName) => T): Record<FunctionName, T> {
  const entries = FUNCTION_NAMES.map((name) => [name, make(name)]);
  return Object.fromEntries(entries) as Record<FunctionName, T>;
}
