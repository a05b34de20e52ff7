import { expect, it } from 'vitest';
import { createApiServices } from './apiServices.ts';

const project = { GOOGLE_CLOUD_PROJECT: 'demo-wiring' };

it.each([
  [{ FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' }, /^FIRESTORE_EMULATOR_HOST must not/],
  [{ PUBSUB_EMULATOR_HOST: '127.0.0.1:8085' }, /^PUBSUB_EMULATOR_HOST must not/],
  [
    { FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080', PUBSUB_EMULATOR_HOST: '127.0.0.1:8085' },
    /^FIRESTORE_EMULATOR_HOST and PUBSUB_EMULATOR_HOST must not/,
  ],
])('the API with %j does not start on Cloud Run, where every caller would be admin', (emulators, message) => {
  const start = () => createApiServices({ ...project, ...emulators, K_SERVICE: 'api' });
  expect(start).toThrow(message);
  expect(start).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

it('the API asks for no login only with an emulator of Firestore; empty variables are not set', () => {
  expect(createApiServices({ ...project, FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' }).isLocal).toBe(true);
  const deployed = { ...project, FIRESTORE_EMULATOR_HOST: '', PUBSUB_EMULATOR_HOST: '', K_SERVICE: 'api' };
  expect(createApiServices(deployed).isLocal).toBe(false);
});
