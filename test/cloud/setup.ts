// Starts Google's emulators once for comparing tests, if installed, and stops them.

import { startEmulators } from '../../local/emulators/emulators.ts';
import { DEFAULT_PROJECT } from '../../shared/environment.ts';
import { whyNoOfficial } from './findOfficial.ts';

export default async function setup(): Promise<() => Promise<void>> {
  process.env.GOOGLE_CLOUD_PROJECT ??= DEFAULT_PROJECT;
  if (whyNoOfficial(process.env) !== undefined) return async () => {};
  const emulators = await startEmulators({ projectId: process.env.GOOGLE_CLOUD_PROJECT, official: true });
  // Workers inherit the environment of this process.
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  return () => emulators.stop();
}
