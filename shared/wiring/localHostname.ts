// The address that a service beside an emulator listens on.

import { readEmulatorAddress } from '../store/emulator.ts';

/** `127.0.0.1` beside an emulator of Firestore; undefined, for all addresses, without one. */
export function localHostname(env: NodeJS.ProcessEnv): string | undefined {
  return readEmulatorAddress('firestore', env) === undefined ? undefined : '127.0.0.1';
}
