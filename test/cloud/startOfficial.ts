// Starts Google's emulators once for all tests of this folder (unless the environment names running ones), and stops them.

import { startEmulators } from '../../local/emulators.ts';
import { DEFAULT_PROJECT } from '../../shared/environment.ts';

export default async function setup(): Promise<() => Promise<void>> {
  process.env.GOOGLE_CLOUD_PROJECT ??= DEFAULT_PROJECT;
  const emulators = await startEmulators({ projectId: process.env.GOOGLE_CLOUD_PROJECT, official: true });
  // Workers inherit the environment of this process.
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  return () => emulators.stop();
}
