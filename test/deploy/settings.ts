// The parts of a Terraform evaluation that a deployment on one machine is made of.

import { type Example, readEvaluation } from '../terraform/evaluate.ts';

/** A service of Cloud Run, as settings/ declares it. */
export interface ServiceSettings {
  id: string;
  url: string;
  service_account: string;
  ingress: 'INGRESS_TRAFFIC_ALL' | 'INGRESS_TRAFFIC_INTERNAL_ONLY';
  /** Whether Cloud Run lets everyone call it. */
  public: boolean;
  /** Whether Identity-Aware Proxy is before it. */
  iap: boolean;
  /** Audiences of tokens beside `url`. */
  audiences: string[];
  concurrency: number;
  max_instances: number;
  command: [string];
  args: string[];
  environment: Record<string, string>;
  secrets: Record<string, { secret: string; version: string }>;
}

/** A subscription; lists hold at most one entry. */
export interface SubscriptionSettings {
  name: string;
  topic: string;
  /** Seconds. */
  ack_deadline: number;
  /** `604800s` */
  retention: string;
  retry: { minimum: string; maximum: string }[];
  push: { endpoint: string; account: string; audience: string }[];
  dead_letters: { topic: string; attempts: number }[];
}

/** The outputs of settings/ that are tried. */
export interface DeploymentSettings {
  project: string;
  services: Record<string, ServiceSettings>;
  topics: Record<string, { name: string }>;
  subscriptions: Record<string, SubscriptionSettings>;
  /** Log sinks by project. */
  change_sinks: Record<string, { name: string; destination: string }>;
  schedules: Record<string, { url: string; account: string }>;
  database: { name: string };
  /** `MEMBER ROLE RESOURCE`, some with ` if CONDITION`. */
  iam_triples: string[];
}

/** One of Google's own accounts in the project of the evaluations: `pubsub`. */
export const agentOf = (service: string): string =>
  `serviceAccount:service-123456789012@gcp-sa-${service}.iam.gserviceaccount.com`;

/** A copy of the evaluated settings of an example. */
export const readSettings = (example: Example): DeploymentSettings =>
  structuredClone(readEvaluation(example).settings) as unknown as DeploymentSettings;
