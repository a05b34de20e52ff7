// Serves Firestore and Pub/Sub until a signal ends the process.

import { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './startLocalCloud.ts';

/**
 * Resolves when all services listen. SIGINT, SIGTERM and SIGHUP end the process regularly; damage to the file
 * ends it with exit code 1.
 * @throws like `startLocalCloud`.
 */
export async function serveCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  const cloud = await startLocalCloud(options);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void cloud.stop().then(() => process.exit()));
  void cloud.damaged.then(async ({ details }) => {
    console.error(details);
    // Answers the current client before its connection ends.
    for (let step = 0; step < 2; step++) await new Promise(setImmediate);
    await cloud.stop();
    process.exit(1);
  });
  return cloud;
}
