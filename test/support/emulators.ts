// Starts the local cloud once for all tests, or Google's emulators for `npm run test:emulators` on a machine
// that has them, and stops it. Emulators that the environment names are used as they are.

import { startEmulators } from '../../local/emulators/emulators.ts';
import { DEFAULT_PROJECT } from '../../shared/environment.ts';
import { whyNoOfficial } from '../cloud/findOfficial.ts';
import { ON_EMULATORS } from './fullTests.ts';

export default async function setup(): Promise<() => Promise<void>> {
  process.env.GOOGLE_CLOUD_PROJECT ??= DEFAULT_PROJECT;
  const missing = ON_EMULATORS ? whyNoOfficial(process.env) : undefined;
  if (missing !== undefined) {
    if (process.env.REQUIRE_EMULATORS) throw new Error(missing);
    console.warn(`${missing}\n\nThe tests run on the local cloud.\n`);
  }
  const emulators = await startEmulators({
    projectId: process.env.GOOGLE_CLOUD_PROJECT,
    official: ON_EMULATORS && missing === undefined,
    limits: Number(process.env.INQUEST_LIMITS ?? 0),
  });
  // Workers inherit the environment of this process.
  process.env.FIRESTORE_EMULATOR_HOST = emulators.firestoreHost;
  process.env.PUBSUB_EMULATOR_HOST = emulators.pubsubHost;
  return () => emulators.stop();
}
