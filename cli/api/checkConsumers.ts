// Checks before an alert is published that Pub/Sub answers and that a subscription will receive the alert.

import { isRefused } from '../../local/emulators/emulatorWatch.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { readProjectId } from '../../shared/environment.ts';
import { EMULATOR_VARIABLES, type Emulator, readEmulatorAddress } from '../../shared/store/emulator.ts';
import { alertConsumers } from '../../shared/wiring/alertConsumers.ts';

/** Timeout of one request. Without an answer the alert is published anyway. */
const TIMEOUT_MS = 2_000;
/** Ends the messages of failures before an alert is published. */
export const NOTHING_PUBLISHED = 'Nothing was published.';
const FIX = 'run `inquest start`, and set the variables that it prints';

/**
 * Checks that the system that the environment names can receive an alert, as far as this account has
 * permission to look.
 * @throws Error that names the missing part and its remedy.
 */
export async function checkConsumers(env: NodeJS.ProcessEnv): Promise<void> {
  const host = readEmulatorAddress('pubsub', env);
  const problem =
    host !== undefined && (await isRefused(host))
      ? `nothing answers at ${host} (${EMULATOR_VARIABLES.pubsub}): ${FIX}`
      : await deliveryFault(env);
  if (problem !== undefined) throw new Error(`${problem}. ${NOTHING_PUBLISHED}`);
}

/** The emulators that the environment names, for a caller that monitors them. */
export function listMonitoredEmulators(env: NodeJS.ProcessEnv): { name: string; host: string }[] {
  const names: Record<Emulator, string> = {
    firestore: 'the Firestore emulator',
    pubsub: 'the Pub/Sub emulator',
  };
  return (['firestore', 'pubsub'] as const).flatMap((emulator) => {
    const host = readEmulatorAddress(emulator, env);
    return host === undefined ? [] : [{ name: `${names[emulator]} at ${host}`, host }];
  });
}

/** The reason why an alert would not be delivered; undefined when there is none, or when it is unknown. */
async function deliveryFault(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const where = `project ${readProjectId(env)}`;
  const isLocal = readEmulatorAddress('pubsub', env) !== undefined;
  const consumers = await alertConsumers(env, TIMEOUT_MS);
  switch (consumers.kind) {
    case 'unknown':
      return undefined;
    case 'no_topic':
      return `${where} has no topic ${TOPICS.alerts}: ${isLocal ? FIX : 'deploy the functions first'}`;
    case 'subscriptions': {
      const { pushEndpoints, pulled } = consumers;
      if (pulled === 0 && pushEndpoints.length === 0) {
        return `the topic ${TOPICS.alerts} of ${where} has no subscription, so the alert would not be received: ${isLocal ? FIX : 'deploy ingestAlert'}`;
      }
      // This machine cannot check endpoints elsewhere, which can be closed to it.
      if (!isLocal || pulled > 0) return undefined;
      const refused = await Promise.all(pushEndpoints.map((endpoint) => isRefused(new URL(endpoint).host)));
      if (refused.includes(false)) return undefined;
      return `the alerts of ${where} are pushed to ${pushEndpoints.join(', ')}, where nothing answers: ${FIX}`;
    }
  }
}
