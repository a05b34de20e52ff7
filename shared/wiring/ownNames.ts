// The names of this installation's resources, by which ingestAlert recognises alerts about Inquest itself.

import type { OwnNames } from '../alerts/selfAlert.ts';
import { pullSubscriptionId, serviceId, subscriptionId, topicId } from '../contract/resourceIds.ts';
import { TOPICS } from '../core/contract/publisher.ts';
import { readDatabaseName, readInstallationName, readProjectId } from '../environment.ts';

/** Topics that only Inquest publishes to; sources publish to the others. */
const INTERNAL_TOPICS = [TOPICS.alertsDead, TOPICS.iterations, TOPICS.iterationsDead, TOPICS.deliveries];

/**
 * The resources of the installation that the environment names. Without a name, those whose names other
 * systems of the project could have are left out: the API, the console, the schedule and the default
 * database.
 * @param services names of all functions, and of the services that answer people and programs.
 * @throws TerminalError `CONFIG_INVALID` for an invalid name in the environment.
 */
export function ownNames(
  env: NodeJS.ProcessEnv,
  services: { functions: readonly string[]; http: readonly string[] },
): OwnNames {
  const installation = readInstallationName(env);
  const database = readDatabaseName(env);
  const names = installation === undefined ? services.functions : [...services.functions, ...services.http];
  return {
    projectId: readProjectId(env),
    functions: names.map((name) => serviceId(name, installation)),
    topics: INTERNAL_TOPICS.map((topic) => topicId(topic, installation)),
    subscriptions: Object.values(TOPICS).flatMap((topic) => [
      subscriptionId(topic, installation),
      pullSubscriptionId(topic, installation),
    ]),
    schedules: installation === undefined ? [] : [serviceId('sweep', installation)],
    databases: installation === undefined || database === undefined ? [] : [database],
    services: [],
  };
}
