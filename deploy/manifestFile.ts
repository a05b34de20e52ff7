// dist/manifest.json: the services, topics and subscriptions of a deployment, for Terraform and for the
// checks of a deployed installation. Its ids have no prefix: the installation's name precedes each with a
// hyphen.

import {
  type Instance,
  isDeployed,
  listTopics,
  PULLED,
  PUSH,
  SERVICE_NAMES,
  SERVICES,
  type ServiceName,
} from '../functions/manifest.ts';
import { type ServiceVariables, serviceVariables } from '../functions/serviceVariables.ts';
import { configVariables, usesEventsTopic } from '../shared/config/configVariables.ts';
import { loadOff } from '../shared/config/switches.ts';
import type { ConfigVariable, VariableUse } from '../shared/contract/configVariable.ts';
import { kebabCase, pullSubscriptionId, subscriptionId } from '../shared/contract/resourceIds.ts';
import type { Switchable } from '../shared/contract/switches.ts';
import type { Topic } from '../shared/core/contract/publisher.ts';

/** The topic that destinations of kind `pubsub` publish to. Only others read it. */
const EVENTS = 'events' as const;

/** A service of Cloud Run. */
export interface ManifestService extends ServiceVariables {
  /** The value of `INQUEST_SERVICE`: `ingestAlert`. */
  name: ServiceName;
  /** The id of the service: `ingest-alert`. */
  id: string;
  /** The kind of its caller. */
  trigger: 'topic' | 'schedule' | 'http';
  /** Seconds until Cloud Run ends a call. */
  timeoutSeconds: number;
  /** Limits of its instances. */
  instance: Instance;
  /** Networks from which it can be called. */
  ingress: 'internal' | 'all';
  /** Callers that pass Google's check. `public`: everyone, the service authenticates them. */
  invoker: 'pubsub' | 'scheduler' | 'public' | 'iap';
  /** Roles of its account in the project. */
  roles: readonly string[];
  /** Further roles of its account, when its models are those of Vertex AI. */
  vertexRoles: string[];
  /** Ids of the topics that its account publishes to. */
  publishes: readonly (Topic | typeof EVENTS)[];
  /** Id of its service account. */
  serviceAccount: string;
  /** Id of the topic whose messages it gets. */
  topic?: Topic;
  /** Id of the push subscription of `topic`. */
  subscription?: string;
  /** Seconds that Pub/Sub waits for an answer. */
  ackDeadlineSeconds?: number;
  /** Where messages go after so many failed deliveries. */
  deadLetters?: { topic: Topic; maxDeliveryAttempts: number };
  /** Seconds between two calls of the schedule. */
  everySeconds?: number;
}

interface ManifestTopic {
  /** Its id. */
  id: Topic | typeof EVENTS;
  /** Whether Pub/Sub publishes messages to it that could not be delivered. */
  deadLetter: boolean;
  /** The subscription by which people read it. */
  pull?: { subscription: string; retentionDays: number };
}

/** The contents of dist/manifest.json. */
export interface DeploymentManifest {
  /** Version of Inquest. */
  version: string;
  /** Version of this format. */
  schema: 1;
  /** The command of each service in the archive's folder; `INQUEST_SERVICE` names it. */
  command: [string, ...string[]];
  /** Settings of all push subscriptions. */
  push: typeof PUSH;
  services: ManifestService[];
  topics: ManifestTopic[];
  /** The features that are off. Absent: none. */
  off?: Switchable[];
  /** Whether it was built for local services, which reach local servers. Absent: it was not. */
  local?: true;
}

/**
 * The manifest of a deployment with the configuration in `configFolder`, which `loadConfig` has accepted.
 * @param local whether it is built for services of this machine. Default: false.
 */
export function deploymentManifest(version: string, configFolder: string, local = false): DeploymentManifest {
  const variables = configVariables(configFolder, process.env);
  const hasEvents = usesEventsTopic(configFolder);
  const off = loadOff(configFolder);
  const topics = listTopics(off);
  return {
    version,
    schema: 1,
    command: ['node', 'start.js'],
    push: PUSH,
    services: SERVICE_NAMES.filter((name) => isDeployed(name, off)).map((name) => ({
      ...describeService(name, serviceVariables(name, variables)),
      publishes: SERVICES[name].rights.publishes.filter((topic) => topics.includes(topic)),
      instance: chooseInstance(name, variables),
      ...(hasEvents && sendsEvents(name) && { publishes: [...SERVICES[name].rights.publishes, EVENTS] }),
    })),
    topics: [
      ...topics.map(describeTopic),
      ...(hasEvents ? [{ id: EVENTS, deadLetter: false } satisfies ManifestTopic] : []),
    ],
    ...(off.size > 0 && { off: [...off] }),
    ...(local && { local }),
  };
}

/** Only services with destinations publish on the topic of events. */
const sendsEvents = (name: ServiceName): boolean =>
  SERVICES[name].uses.some((use: VariableUse) => use === 'destinations');

/** With buttons an API instance is kept: Slack waits 3 s, less than a start. */
function chooseInstance(
  name: ServiceName,
  variables: readonly ConfigVariable[],
): ManifestService['instance'] {
  const { instance, uses } = SERVICES[name];
  const takesPresses = uses.some((use) => use === 'proofs') && variables.some(({ use }) => use === 'proofs');
  return takesPresses ? { ...instance, minInstances: 1 } : instance;
}

function describeService(name: ServiceName, variables: ServiceVariables): Omit<ManifestService, 'instance'> {
  const service = SERVICES[name];
  const { trigger, timeoutSeconds, rights, serviceAccount, uses } = service;
  const invoker = { topic: 'pubsub', schedule: 'scheduler', http: 'public' } as const;
  return {
    name,
    id: kebabCase(name),
    trigger,
    timeoutSeconds,
    ingress: trigger === 'http' ? 'all' : 'internal',
    invoker: service.trigger === 'http' ? service.invoker : invoker[trigger],
    ...variables,
    roles: rights.roles,
    vertexRoles: uses.some((use) => use === 'gemini') ? ['roles/aiplatform.user'] : [],
    publishes: rights.publishes,
    serviceAccount,
    ...(service.trigger === 'topic' && {
      topic: service.topic,
      subscription: subscriptionId(service.topic, undefined),
      ackDeadlineSeconds: service.ackDeadlineSeconds,
      ...(service.deadLetters !== null && { deadLetters: service.deadLetters }),
    }),
    ...(service.trigger === 'schedule' && { everySeconds: service.everySeconds }),
  };
}

function describeTopic(id: Topic): ManifestTopic {
  const deadLetter = SERVICE_NAMES.map((name) => SERVICES[name]).some(
    (service) => service.trigger === 'topic' && service.deadLetters?.topic === id,
  );
  const { topic, retentionDays } = PULLED;
  if (id !== topic) return { id, deadLetter };
  return { id, deadLetter, pull: { subscription: pullSubscriptionId(id, undefined), retentionDays } };
}

/** The content of a firestore.indexes.json, as far as features matter. */
interface Indexes {
  indexes: { collectionGroup: string; fields: { fieldPath: string }[] }[];
}

/** The indexes of several fields that only a feature searches by. */
const OWN_INDEXES: Partial<Record<Switchable, (index: Indexes['indexes'][number]) => boolean>> = {
  changes: ({ collectionGroup, fields }) =>
    collectionGroup === 'changes' || fields.some(({ fieldPath }) => fieldPath === 'parts.changes.scopes'),
  // Sessions from before their own trigrams are found by those of their entries.
  knowledge: ({ collectionGroup, fields }) =>
    collectionGroup === 'knowledge' && fields.some(({ fieldPath }) => fieldPath === 'userId'),
  topology: ({ collectionGroup }) => collectionGroup === 'topology',
};

/**
 * The indexes of a deployment whose features `off` are off. Settings of single fields stay: by them stored
 * documents expire, and are found when a tenant is erased.
 */
export const indexesWithout = <I extends Indexes>(off: readonly Switchable[] = [], indexes: I): I => ({
  ...indexes,
  indexes: indexes.indexes.filter((index) => !off.some((feature) => OWN_INDEXES[feature]?.(index))),
});
