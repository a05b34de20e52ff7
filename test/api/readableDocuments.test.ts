// Documents as a user of the Firestore console sees them: each has a readable id, or a title.

import { expect, it } from 'vitest';
import type { RawDatabase, RawDocument } from '../../shared/contract/rawDocuments.ts';
import { createApiKey } from '../../shared/kits/access/createApiKey.ts';
import { COLLECTIONS } from '../../shared/lists/documents.ts';
import { startApiBench } from '../support/apiBench.ts';
import { signKey } from '../support/signatures.ts';

const script = { conversations: Array(8).fill({ turns: [{ text: 'The disk is full.' }] }) };
const correlate = [{ labels: ['cluster'], window: '15m' }];
const drops = [{ name: 'dev', labels: { env: 'dev' }, action: 'drop' }];

/** All documents below a path, or of the database, with the collection of each. */
async function walk(documents: RawDatabase, below?: string): Promise<[collection: string, RawDocument][]> {
  const found: [string, RawDocument][] = [];
  for (const id of await documents.collectionIds(below)) {
    const collection = below === undefined ? id : `${below}/${id}`;
    const fields = ['title', 'name'];
    for (const one of await documents.list({ collection, limit: 1_000, fields }))
      found.push([id, one], ...(await walk(documents, one.path)));
  }
  return found;
}

/** Whether an id has words, names and numbers. A part that is only a digest is unreadable. */
const isReadable = (id: string): boolean =>
  !id.split('.').some((part) => /^[0-9a-f]{12,}(-\d)?$/.test(part) && /\d/.test(part));

it('each document of a run has a readable id or a title', async () => {
  const api = await startApiBench({ script, chat: {}, summary: {}, triage: { correlate, rules: drops } });
  const alert = { title: 'Disk full', status: 'firing', fingerprint: 'disk-1', labels: { cluster: 'eu' } };
  const sessionId = await api.investigate(alert);
  await api.investigate({ ...alert, title: 'Shop slow', fingerprint: 'shop-1' });
  await api.investigate({ ...alert, labels: { env: 'dev' } });
  await api.investigate('null');
  const headers = { 'idempotency-key': 'a' };
  await api.ask(`/v1/sessions/${sessionId}/questions`, { body: { text: 'Why?' }, headers });
  await api.drain();
  await createApiKey(
    { name: 'pager', tenantId: 'default', role: 'viewer', createdBy: 'Ada', lifetimeMs: 60_000 },
    { ...api.deps, sign: signKey },
  );
  await api.tick();

  const found = await walk(api.documents);
  const seen = new Set(found.map(([collection]) => collection));
  for (const digests of ['alertKeys', 'incidents', 'correlations', 'requests', 'apiKeys'])
    expect(seen).toContain(digests);
  for (const collection of seen) expect(Object.keys(COLLECTIONS)).toContain(collection);
  // Keys of the API are listed by the name of their program.
  const bare = found.filter(
    ([collection, { id, fields }]) =>
      !isReadable(id) && !fields.get(collection === 'apiKeys' ? 'name' : 'title'),
  );
  expect(bare.map(([, { path }]) => path)).toEqual([]);
});
