// Recognises alerts that Inquest causes itself: about its own functions, topics and subscriptions, and about
// those that the configuration adds to them. Investigating one could cause the next. Pure.

import type { Alert } from './schema/alert.ts';

/** Names of Inquest's own resources. */
export interface OwnNames {
  /** The project it runs in. Names of functions and topics have no meaning in other projects. */
  projectId: string;
  /** Names of deployed functions, which are those of their Cloud Run services in lower case. */
  functions: readonly string[];
  /** Topics that only Inquest publishes to. */
  topics: readonly string[];
  /** Its push subscriptions. */
  subscriptions: readonly string[];
  /** Jobs of Cloud Scheduler. */
  schedules: readonly string[];
  /** Databases of Firestore that only Inquest uses. */
  databases: readonly string[];
  /** Names of other services and functions, wherever they run (`ownServices` in system.yaml). */
  services: readonly string[];
}

/** Labels that name the resource of an alert, by the type of resource of Cloud Monitoring. */
const RESOURCE_LABELS: Record<string, string> = {
  cloud_run_revision: 'service_name',
  cloud_function: 'function_name',
  pubsub_topic: 'topic_id',
  pubsub_subscription: 'subscription_id',
  cloud_scheduler_job: 'job_id',
  'firestore.googleapis.com/Database': 'database_id',
};

/** Labels that name a service in alerts of any source. */
const SERVICE_LABELS = [
  'service_name',
  'function_name',
  'service',
  'job',
  'deployment',
  'container',
  'container_name',
];

/**
 * The name of Inquest's own service, function, topic or subscription that an alert is about; undefined for
 * any other alert. Only labels that identify the resource are compared, never texts: an alert can mention
 * anything.
 */
export function ownSubject({ source, labels }: Alert, own: OwnNames): string | undefined {
  const configured = SERVICE_LABELS.flatMap((label) => labels[label] ?? []).find((name) =>
    own.services.includes(name),
  );
  if (configured !== undefined) return configured;
  // The names of the functions are ordinary words, so only Google's labels for the resource count.
  if (source !== 'cloud-monitoring' || labels.project_id !== own.projectId) return undefined;
  const type = labels.resource_type ?? '';
  const subject = labels[RESOURCE_LABELS[type] ?? ''];
  if (subject === undefined) return undefined;
  return isOwnMetric(type, subject, own) ? subject : undefined;
}

function isOwnMetric(type: string, subject: string, own: OwnNames): boolean {
  const names = own.functions.map((name) => name.toLowerCase());
  switch (type) {
    case 'pubsub_topic':
      return own.topics.includes(subject);
    case 'cloud_scheduler_job':
      return own.schedules.includes(subject);
    case 'firestore.googleapis.com/Database':
      return own.databases.includes(subject);
    case 'pubsub_subscription':
      // The subscription that a trigger creates: eventarc-REGION-FUNCTION-NUMBER-sub-NUMBER.
      if (own.subscriptions.includes(subject)) return true;
      return names.some((name) => new RegExp(`^eventarc-[a-z0-9-]+-${name}-\\d+-sub-\\d+$`).test(subject));
    default:
      return names.includes(subject.toLowerCase());
  }
}
