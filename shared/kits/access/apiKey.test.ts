import { expect, it } from 'vitest';
import { sampleApiKey } from '../../../test/support/samples.ts';
import { apiKeyType } from '../../lists/documents.ts';

it('reads a key of version 1, which had no HMAC', () => {
  const { mac: _, ...old } = sampleApiKey();
  const read = apiKeyType.decode({ ...old, schemaVersion: 1 }, 'apiKeys/0123456789ab');
  expect(read).toEqual({ ...old, mac: null });
});
