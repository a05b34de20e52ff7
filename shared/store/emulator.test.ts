import { expect, it } from 'vitest';
import { emulatorOf } from './emulator.ts';

it('FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST are the emulators; empty is as good as not set', () => {
  const env = { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080', PUBSUB_EMULATOR_HOST: '' };
  expect(emulatorOf('firestore', env)).toBe('127.0.0.1:8080');
  expect(emulatorOf('pubsub', env)).toBeUndefined();
  expect(emulatorOf('firestore', {})).toBeUndefined();
});
