// Ids of an installation's resources on Google Cloud. Each starts with the installation's name, if any.

import type { Topic } from '../core/contract/publisher.ts';

/** The id of a topic on Google Cloud. @param installation prefix of the resources; none if undefined. */
export function topicId(topic: Topic, installation: string | undefined): string {
  return installation === undefined ? topic : `${installation}-${topic}`;
}

/** The id of the topic that gets the events of an installation. @param installation its name. */
export function eventsTopicId(installation = 'inquest'): string {
  return `${installation}-events`;
}

/** The id of the push subscription of a topic. @param installation as for `topicId`. */
export function subscriptionId(topic: Topic, installation: string | undefined): string {
  return `${topicId(topic, installation)}-push`;
}

/** The subscription by which people read a topic without function. @param installation as for `topicId`. */
export function pullSubscriptionId(topic: Topic, installation: string | undefined): string {
  return `${topicId(topic, installation)}-pull`;
}

/**
 * The name of a service on Cloud Run: `inquest-ingest-alert`.
 * @param installation prefix of the installation's resources. Undefined for functions that were deployed by
 *   hand under their own names.
 */
export function serviceId(name: string, installation: string | undefined): string {
  if (installation === undefined) return name;
  return `${installation}-${kebabCase(name)}`;
}

/** The secret of a variable: `inquest-pager-token` for PAGER_TOKEN. @param installation as `topicId`. */
export function composeSecretId(variable: string, installation: string | undefined): string {
  const id = variable.toLowerCase().replaceAll('_', '-');
  return installation === undefined ? id : `${installation}-${id}`;
}

/** `ingest-alert` for `ingestAlert`. */
export function kebabCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
