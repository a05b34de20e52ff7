// The stored documents of a session through the API, which `record`, `replay` and `diff` read.

import { expect, it } from 'vitest';
import { copySessionDocuments, writeRecording } from '../../../shared/cases/recording.ts';
import {
  decodeDate,
  type SessionDocument,
  sessionDocuments,
} from '../../../shared/kits/views/documents/sessionDocuments.ts';
import { startApiBench } from '../../support/apiBench.ts';

const SCRIPT = {
  conversations: [
    { when: { user: 'Disk full' }, turns: [{ text: `Logs. ${'x'.repeat(900_000)}` }] },
    { turns: [{ text: 'Done.' }] },
  ],
};

it('the documents of an ended session are read in pages, and are those of its recording', async () => {
  const api = await startApiBench({ inMemory: true, script: SCRIPT });
  const sessionId = await api.investigate({ title: 'Disk full' });
  const { store } = api.deps;
  const path = `/v1/sessions/${sessionId}/documents`;
  const all: SessionDocument[] = [];
  let pages = 0;
  for (let next: string | null = ''; next !== null; pages++) {
    const { status, body } = await api.ask(`${path}${next && `?after=${encodeURIComponent(next)}`}`);
    expect(status).toBe(200);
    all.push(...body.documents);
    next = body.next;
  }
  expect(pages).toBeGreaterThan(1);
  const read = async function* () {
    for (const one of all) yield JSON.parse(JSON.stringify(one), (_, value) => decodeDate(value));
  };
  const [ofApi, ofStore] = [
    await copySessionDocuments(sessionId, read()),
    await copySessionDocuments(sessionId, sessionDocuments(sessionId, store)),
  ];
  expect(ofApi && writeRecording(ofApi)).toBe(ofStore && writeRecording(ofStore));
  expect(all.filter(({ path: one }) => one.includes('/parts/')).length).toBeGreaterThan(0);
  const [session] = all;
  expect(session?.data.maskKey).toBe('0'.repeat(32));
  // Every document is a place at which a page can end.
  for (const [index, { path: last }] of all.entries()) {
    const { body } = await api.ask(`${path}?after=${encodeURIComponent(last)}`);
    expect([last, body.documents[0]?.path]).toEqual([last, all[index + 1]?.path]);
  }
});

it('the documents of other tenants, of running sessions and after other places are not read', async () => {
  const api = await startApiBench({ inMemory: true, script: SCRIPT });
  const sessionId = await api.investigate({ title: 'Login fails' });
  const path = `/v1/sessions/${sessionId}/documents`;
  const other = await api.ask(path, { headers: { 'x-tenant-id': 'acme' } });
  expect(other).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  for (const after of ['sessions/other', `sessions/${sessionId}/nosuch/1`, 'approvals/x', 'keys/x'])
    expect(await api.ask(`${path}?after=${encodeURIComponent(after)}`)).toMatchObject({
      status: 400,
      body: { code: 'REQUEST_INVALID', detail: 'after: must be `next` of the previous page' },
    });
  const open = await api.publishAlert({ title: 'Queue grows' });
  await api.deliverNext();
  expect(await api.ask(`/v1/sessions/${open}/documents`)).toMatchObject({
    status: 409,
    body: { code: 'SESSION_STATE' },
  });
});
