import { expect, it } from 'vitest';
import { readEmulatorAddress } from './emulator.ts';

it('FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST are the emulators; empty is as good as not set', () => {
  const env = { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080', PUBSUB_EMULATOR_HOST: '' };
  expect(readEmulatorAddress('firestore', env)).toBe('127.0.0.1:8080');
  expect(readEmulatorAddress('pubsub', env)).toBeUndefined();
  expect(readEmulatorAddress('firestore', {})).toBeUndefined();
});
