// Lists with pages of a given size: each element is on one page, in the order of the whole list.

import { expect, it } from 'vitest';
import type { AnyRoute } from '../../shared/api/http/route.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { createDocument, putDocument } from '../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { knowledgeType, paths, sessionType, storedAgentType } from '../../shared/lists/documents.ts';
import { ROUTES } from '../../shared/lists/routes.ts';
import { startApiBench } from '../support/apiBench.ts';
import { LISTED, storeListed } from '../support/listDocuments.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { sampleKnowledge, sampleSession, sampleStoredAgent } from '../support/samples.ts';

const COUNT = 27;
const SESSION = sampleSession({ sessionId: 'own', status: 'completed' });

async function start() {
  const config = loadSessionConfig(ownConfig({}));
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    inMemory: true,
    readConfig: () => config,
  });
  const { store, clock } = api.deps;
  await store.commit([createDocument(paths.session(SESSION.sessionId), sessionType, SESSION)]);
  await storeListed(COUNT, { sessionId: 'own', tenantId: SESSION.tenantId, now: clock.now() }, store);
  return api;
}
type Api = Awaited<ReturnType<typeof start>>;

/** The pages of a list, each as the names of its elements. */
async function walk({ ask }: Api, id: keyof typeof LISTED, limit: number, headers = {}) {
  const route: AnyRoute | undefined = ROUTES.find((one: AnyRoute) => one.id === id);
  const path = (route?.path ?? '').replace('{sessionId}', SESSION.sessionId);
  const { list, name } = LISTED[id];
  const pages: unknown[][] = [];
  for (let after = ''; ; ) {
    const { status, body } = await ask(`${path}?limit=${limit}${after && `&after=${after}`}`, { headers });
    expect(status, JSON.stringify(body)).toBe(200);
    pages.push(
      body[list].map((one: Record<string, unknown>) =>
        name.split('.').reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], one),
      ),
    );
    if (body.next === null) return pages;
    after = body.next;
  }
}

/** The list in memory has no documents as they are stored. */
const IDS = (Object.keys(LISTED) as (keyof typeof LISTED)[]).filter((id) => id !== 'listApprovals');

it.each(IDS)('%s has each element on one page, and no page after the last one', async (id) => {
  const api = await start();
  const [whole = [], ...others] = await walk(api, id, 100);
  expect(others).toEqual([]);
  expect(whole.length).toBeGreaterThanOrEqual(COUNT);
  const pages = await walk(api, id, 10);
  expect(pages.map(({ length }) => length)).toEqual([10, 10, whole.length - 20]);
  expect(pages.flat().toSorted()).toEqual(whole.toSorted());
  const half = await walk(api, id, whole.length);
  expect(half).toHaveLength(1);
  expect((await api.ask(`/v1/agents?limit=501`)).status).toBe(400);
});

it('pages of knowledge have shared entries and those of the user in one order, without removed ones', async () => {
  const api = await start();
  const { store, clock } = api.deps;
  const own = ['a1', 'n005x', 'z1'].map((key) => sampleKnowledge({ key, userId: 'anna' }));
  const gone = sampleKnowledge({ key: 'n000x', expireAt: clock.now() });
  const other = sampleKnowledge({ key: 'b1', userId: 'bert' });
  await store.commit(
    [...own, gone, other].map((one) =>
      createDocument(paths.knowledgeEntry(one.tenantId, one.key), knowledgeType, one),
    ),
  );
  const pages = await walk(api, 'listKnowledge', 4, { 'x-user-id': 'anna' });
  expect(pages.flat()).toEqual((pages.flat() as string[]).toSorted());
  expect(pages.flat()).toHaveLength(COUNT + own.length);
  expect(pages.flat()).toEqual(expect.arrayContaining(['a1', 'n005x', 'z1']));
  expect((await walk(api, 'listKnowledge', 4)).flat()).toHaveLength(COUNT);
});

it('pages of agents have those of files and of the store, with faults, and without removed ones', async () => {
  const api = await start();
  const removed = sampleStoredAgent({ name: 'n001x', yaml: null });
  await api.deps.store.commit([
    createDocument(paths.agent('n001x'), storedAgentType, removed),
    putDocument(paths.agent('n002x'), rawDocumentType, { schemaVersion: 1, name: 7 }),
  ]);
  const names = (await walk(api, 'listAgents', 2)).flat();
  expect(names).toEqual((names as string[]).toSorted());
  expect(names).toContain('n002x');
  expect(names).not.toContain('n001x');
  expect(new Set(names).size).toBe(names.length);
  expect(names.length).toBeGreaterThan(COUNT + 1);
});
