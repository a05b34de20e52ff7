// Starts the local cloud once for all tests (unless the environment names running emulators), and stops it.

import { startEmulators } from '../../local/emulators/emulators.ts';
import { DEFAULT_PROJECT } from '../../shared/environment.ts';

export default async function setup(): Promise<() => Promise<void>> {
  process.env.GOOGLE_CLOUD_PROJECT ??= DEFAULT_PROJECT;
  const emulators = await startEmulators({ projectId: process.env.GOOGLE_CLOUD_PROJECT });
  // Workers inherit the environment of this process.
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  return () => emulators.stop();
}
