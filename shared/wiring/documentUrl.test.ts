import { expect, it } from 'vitest';
import { documentUrls } from './documentUrl.ts';

it('links to a document in the Firestore console of the project', () => {
  expect(documentUrls({ GOOGLE_CLOUD_PROJECT: 'acme-prod' })?.('sessions/2026-11-24-disk full')).toBe(
    'https://console.cloud.google.com/firestore/databases/-default-/data/panel/sessions/2026-11-24-disk%20full?project=acme-prod',
  );
});

it('has no link with an emulator', () => {
  const env = { GOOGLE_CLOUD_PROJECT: 'acme-prod', FIRESTORE_EMULATOR_HOST: '127.0.0.1:8080' };
  expect(documentUrls(env)).toBeUndefined();
});
