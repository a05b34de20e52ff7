// Finds the consumers of a project's alerts. A separate module, because functions never need it.

import { topicId } from '../contract/resourceIds.ts';
import { TOPICS } from '../core/contract/publisher.ts';
import { readInstallationName, readProjectId } from '../environment.ts';
import { emulatorSettings } from '../store/emulator.ts';
import { type TopicConsumers, topicConsumers } from '../store/pubsub/topicConsumers.ts';

/** Consumers of the alerts of `GOOGLE_CLOUD_PROJECT`, or of its emulator. Never throws. */
export async function alertConsumers(env: NodeJS.ProcessEnv, timeoutMs: number): Promise<TopicConsumers> {
  const { PubSub } = await import('../store/pubsub/pubsubSdk.ts');
  const pubsub = new PubSub({ projectId: readProjectId(env), ...emulatorSettings('pubsub') });
  const consumers = await topicConsumers(
    pubsub,
    topicId(TOPICS.alerts, readInstallationName(env)),
    timeoutMs,
  );
  await pubsub.close().catch(() => undefined);
  return consumers;
}
