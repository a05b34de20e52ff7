// One document that cannot be read hides no others: answers name it, and hold the rest.

import { describe, expect, it } from 'vitest';
import { replaceDocument } from '../../shared/core/contract/store.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { paths } from '../../shared/lists/documents.ts';
import { startApiBench } from '../support/apiBench.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const PAGES = ['', '/timeline', '/interactions'];

describe('a document that cannot be read', () => {
  it.each([
    ['of newer code', { schemaVersion: 99 }, 'SCHEMA_TOO_NEW'],
    ['with an invalid field', { expireAt: 'tomorrow' }, 'DOCUMENT_INVALID'],
  ])('(%s) is named by the answers, which hold the rest', async (_, harm, code) => {
    const bench = await startApiBench({ script });
    const sessionId = await bench.publishAlert();
    await bench.drain();
    const { store } = bench.deps;
    const below = paths.session(sessionId);
    const collections = ['stages', 'executions', 'timeline', 'interactions'];
    const broken: string[] = [];
    for (const collection of collections) {
      for (const { path, value, version } of await store.list(
        { collection: `${below}/${collection}` },
        rawDocumentType,
      )) {
        await store.commit([replaceDocument(path, rawDocumentType, { ...value, ...harm }, version)]);
        broken.push(path);
      }
    }
    const answers = await Promise.all(PAGES.map((page) => bench.ask(`/v1/${below}${page}`)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    const [session, timeline, interactions] = answers.map(({ body }) => body);
    expect(session).toMatchObject({ sessionId, status: 'completed', finalAnalysis: 'Done.' });
    expect(session.unreadable.map(({ path }: { path: string }) => path).sort()).toEqual(broken.sort());
    for (const one of [...session.unreadable, ...timeline.unreadable, ...interactions.unreadable])
      expect(one).toMatchObject({ code, message: expect.stringContaining(one.path) });
    expect(timeline.unreadable).toHaveLength(1);
    expect(interactions.unreadable).toHaveLength(1);
    expect(await bench.ask('/v1/approvals')).toMatchObject({ status: 200 });
  });
});
