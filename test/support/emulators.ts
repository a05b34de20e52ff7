// Starts the emulators once for all tests that need them (unless the environment names running ones), and stops them.

import { startEmulators } from '../../local/emulators.ts';
import { DEFAULT_PROJECT } from '../../shared/environment.ts';

export default async function setup(): Promise<() => Promise<void>> {
  // They live for minutes: without the second compiler, and with one thread to collect garbage, they cost half as much.
  process.env.JAVA_TOOL_OPTIONS ??= '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';
  process.env.GOOGLE_CLOUD_PROJECT ??= DEFAULT_PROJECT;
  const emulators = await startEmulators({ projectId: process.env.GOOGLE_CLOUD_PROJECT });
  // Workers inherit the environment of this process.
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  return () => emulators.stop();
}
