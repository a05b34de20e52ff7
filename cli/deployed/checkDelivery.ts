// Checks of message delivery: push subscriptions, permissions of agents of Pub/Sub and Monitoring.

import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { composeServiceAgent } from '../deploy/apis.ts';
import { PUBSUB } from '../google/addresses.ts';
import { type DeployedSystem, grantsRole, isWaiting, type Policy, redeploy } from './deployedSystem.ts';
import { composeFailedFinding, type Finding, missing, ok } from './finding.ts';

interface Subscription {
  ackDeadlineSeconds?: number;
  messageRetentionDuration?: string;
  expirationPolicy?: { ttl?: string };
  retryPolicy?: { minimumBackoff?: string; maximumBackoff?: string };
  deadLetterPolicy?: { deadLetterTopic?: string; maxDeliveryAttempts?: number };
  pushConfig?: { pushEndpoint?: string; oidcToken?: { serviceAccountEmail?: string; audience?: string } };
  state?: string;
}

/** Whether each push subscription is as the manifest declares it. */
export async function checkSubscriptions(system: DeployedSystem): Promise<Finding[]> {
  const { google, target, manifest } = system;
  const { project, name } = target;
  const topics = manifest.services.filter(({ subscription }) => subscription !== undefined);
  return await Promise.all(
    topics.map(async (service): Promise<Finding> => {
      const id = `${name}-${service.subscription}`;
      const part = `subscription ${id}`;
      const found = await google.find<Subscription>({
        url: `${PUBSUB}/projects/${project}/subscriptions/${id}`,
      });
      if (found === undefined) return missing(part, `does not exist. ${redeploy(system)}`);
      const differences = compareSettings(composeWantedSettings(system, service), readActualSettings(found));
      if (differences.length === 0) return ok(part, 'as the manifest declares it');
      return missing(part, `${differences.join('; ')}. ${redeploy(system)}`);
    }),
  );
}

type Settings = Record<string, string | number | undefined>;
type Service = DeployedSystem['manifest']['services'][number];

function composeWantedSettings(system: DeployedSystem, service: Service): Settings {
  const { target, projectNumber, manifest } = system;
  const { project, region, name } = target;
  const { push } = manifest;
  const address = `https://${name}-${service.id}-${projectNumber}.${region}.run.app`;
  const { deadLetters } = service;
  return {
    state: 'ACTIVE',
    'ack deadline': service.ackDeadlineSeconds,
    retention: `${push.retentionDays * 86_400}s`,
    expiration: 'never',
    'minimum back-off': `${push.minimumBackoffSeconds}s`,
    'maximum back-off': `${push.maximumBackoffSeconds}s`,
    'dead letters': deadLetters && `projects/${project}/topics/${name}-${deadLetters.topic}`,
    attempts: deadLetters?.maxDeliveryAttempts,
    // A subscription whose service is not created keeps its messages, and pushes none.
    ...(!isWaiting(system, service) && {
      endpoint: address,
      account: `${name}-push@${project}.iam.gserviceaccount.com`,
      audience: address,
    }),
  };
}

function readActualSettings(found: Subscription): Settings {
  const { expirationPolicy, retryPolicy, deadLetterPolicy, pushConfig } = found;
  return {
    state: found.state,
    'ack deadline': found.ackDeadlineSeconds,
    retention: found.messageRetentionDuration,
    // Without a policy Google deletes a subscription unused for 31 days; one without a time never does.
    expiration: expirationPolicy === undefined ? '31 days' : (expirationPolicy.ttl ?? 'never'),
    'minimum back-off': retryPolicy?.minimumBackoff,
    'maximum back-off': retryPolicy?.maximumBackoff,
    'dead letters': deadLetterPolicy?.deadLetterTopic,
    attempts: deadLetterPolicy?.maxDeliveryAttempts,
    endpoint: pushConfig?.pushEndpoint,
    account: pushConfig?.oidcToken?.serviceAccountEmail,
    audience: pushConfig?.oidcToken?.audience,
  };
}

function compareSettings(wanted: Settings, actual: Settings): string[] {
  return Object.entries(wanted)
    .filter(([setting, value]) => value !== actual[setting])
    .map(([setting, value]) => `${setting} is ${actual[setting] ?? 'not set'} instead of ${value ?? 'none'}`);
}

/**
 * Whether Google's agents have their rights. Without them, Pub/Sub delivers a message until it expires
 * instead of moving it to the dead letters, and Monitoring cannot publish alerts.
 */
export async function checkAgents(system: DeployedSystem): Promise<Finding[]> {
  const { target, manifest, projectNumber } = system;
  const { name } = target;
  const dead = manifest.services.flatMap(({ deadLetters, subscription }) =>
    deadLetters === undefined
      ? []
      : [
          { role: 'roles/pubsub.publisher', resource: `topics/${name}-${deadLetters.topic}` },
          { role: 'roles/pubsub.subscriber', resource: `subscriptions/${name}-${subscription}` },
        ],
  );
  const alerts = [{ role: 'roles/pubsub.publisher', resource: `topics/${name}-${TOPICS.alerts}` }];
  return await Promise.all([
    checkAgent(system, {
      part: "Pub/Sub's agent",
      agent: composeServiceAgent('pubsub', projectNumber),
      rights: dead,
      purpose: 'can move undelivered messages',
    }),
    checkAgent(system, {
      part: "Monitoring's agent",
      agent: composeServiceAgent('monitoring-notification', projectNumber),
      rights: alerts,
      purpose: 'can publish alerts',
    }),
  ]);
}

interface Agent {
  part: string;
  /** As a member of a policy. */
  agent: string;
  rights: { role: string; resource: string }[];
  /** The effect of the rights, for people. */
  purpose: string;
}

async function checkAgent(system: DeployedSystem, { part, agent, rights, purpose }: Agent): Promise<Finding> {
  const { google, target } = system;
  try {
    const lacking: string[] = [];
    for (const { role, resource } of rights) {
      const url = `${PUBSUB}/projects/${target.project}/${resource}:getIamPolicy`;
      const policy = (await google.find<Policy>({ url })) ?? {};
      if (!grantsRole(policy, role, agent)) lacking.push(`${role} on ${resource}`);
    }
    if (lacking.length === 0) return ok(part, purpose);
    return missing(part, `${agent} lacks ${lacking.join(', ')}. ${redeploy(system)}`);
  } catch (error) {
    return composeFailedFinding(part, error, target);
  }
}
