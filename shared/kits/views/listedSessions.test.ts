// Lists and sums of sessions, over documents in memory.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { randomRuns } from '../../../test/support/fullTests.ts';
import {
  createRawDocumentsInMemory,
  type PlainDocument,
} from '../../../test/support/rawDocumentsInMemory.ts';
import { SAMPLE_TIME, sampleAlert, sampleAlertPart, sampleSession } from '../../../test/support/samples.ts';
import { deriveFields } from '../../core/kernel/stageFeature.ts';
import { sessionType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { STAGE_FEATURES } from '../../lists/stageFeatures.ts';
import { wordQuery } from '../../search/words.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { listSessions } from './listSessions.ts';
import { withFilters } from './sessionFilter.ts';
import { ROW_FIELDS, sessionRows } from './sessionRow.ts';
import { tenantSessions } from './tenantSessions.ts';

const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);
const failure = { code: 'MODEL_TIMEOUT', message: 'too slow', retryable: true } as const;

const stored = (one: Session): PlainDocument => ({
  path: `sessions/${one.sessionId}`,
  data: { ...withFilters(one), schemaVersion: sessionType.version },
});
const withWords = (one: Session) => deriveFields(one, undefined, { stageFeatures: STAGE_FEATURES });

describe('a page of sessions', () => {
  const session = fc.record({
    minute: fc.nat(20),
    tenantId: fc.constantFrom('default', 'acme'),
    status: fc.constantFrom('completed', 'failed'),
    source: fc.constantFrom('grafana', 'json'),
    severity: fc.constantFrom('critical', 'Critical', 'warning'),
  });
  const filter = fc.record(
    {
      status: fc.constant<string[]>(['failed']),
      source: fc.constant<string[]>(['json']),
      severity: fc.constant(['CRITICAL']),
      since: fc.nat(20).map(at),
      until: fc.nat(20).map(at),
    },
    { requiredKeys: [] },
  );

  it('is followed by others until each session of the tenant and the filter was on one, the newest first', async () => {
    const property = fc.asyncProperty(
      fc.array(session, { maxLength: 25 }),
      filter,
      fc.constantFrom('default', 'acme'),
      fc.integer({ min: 1, max: 7 }),
      async (sessions, wanted, tenantId, limit) => {
        const all = sessions.map(({ minute, source, severity, ...rest }, n) => {
          const sessionId = `s${String(n).padStart(2, '0')}`;
          const alert = sampleAlert({ source, severity });
          return sampleSession({
            ...rest,
            sessionId,
            createdAt: at(minute),
            ...sampleAlertPart(alert),
          } as Session);
        });
        const expected = sessions
          .map((one, n) => ({ ...one, id: all[n]?.sessionId ?? '' }))
          .filter(
            (one) =>
              one.tenantId === tenantId &&
              (wanted.status?.includes(one.status) ?? true) &&
              (wanted.source?.includes(one.source) ?? true) &&
              (wanted.severity === undefined || one.severity !== 'warning') &&
              at(one.minute) >= (wanted.since ?? at(0)) &&
              at(one.minute) <= (wanted.until ?? at(20)),
          )
          .sort((a, b) => b.minute - a.minute || (a.id < b.id ? 1 : -1));
        const documents = createRawDocumentsInMemory(all.map(stored));
        const ids: string[] = [];
        for (let after: string | undefined; ; ) {
          const page = await listSessions({ filter: wanted, after, limit, fields: [] }, tenantId, documents);
          expect(page?.found.length).toBeLessThanOrEqual(limit);
          ids.push(...(page?.found ?? []).map(({ id }) => id));
          if (!page?.next) break;
          const { since: _since, until: _until, ...values } = wanted;
          // An index has two filters.
          if (Object.keys(values).length < 3) expect(page.found).toHaveLength(limit);
          after = page.next;
        }
        expect(ids).toEqual(expected.map(({ id }) => id));
        const index = tenantSessions({ documents, store: createMemoryStore() }, tenantId);
        const own = all.filter((one) => one.tenantId === tenantId);
        expect((await index.byId({ limit: 5 })).map(({ id }) => id)).toEqual(
          own.slice(0, 5).map(({ sessionId }) => sessionId),
        );
        expect((await index.newest()) === undefined).toBe(own.length === 0);
      },
    );
    await fc.assert(property, { numRuns: randomRuns(200) });
  });

  it('of another tenant, and one that does not exist, follow nothing', async () => {
    const documents = createRawDocumentsInMemory([stored(sampleSession({ tenantId: 'acme' }))]);
    const request = { filter: {}, limit: 1, fields: [] };
    for (const after of ['session-1', 'nosuch'])
      expect(await listSessions({ ...request, after }, 'default', documents)).toBeUndefined();
    expect(await listSessions({ ...request, after: 'session-1' }, 'acme', documents)).toEqual({
      found: [],
      next: null,
    });
  });
});

it('a page of found sessions has those with all words, and ends where it has read a session more', async () => {
  const titles = ['disk full', 'disk slow', 'disk full', 'queue full', 'disk full'];
  const sessions = titles.map((title, minute) =>
    withWords(sampleSession({ sessionId: `s${minute}`, createdAt: at(minute), title, input: null })),
  );
  const documents = createRawDocumentsInMemory(sessions.map(stored));
  const pages: string[][] = [];
  for (let after: string | undefined; ; ) {
    const request = { words: wordQuery('full disk'), filter: {}, after, limit: 2, fields: [] };
    const page = await listSessions(request, 'default', documents);
    pages.push((page?.found ?? []).map(({ id }) => id));
    if (!page?.next) break;
    after = page.next;
  }
  expect(pages.flat()).toEqual(['s4', 's2', 's0']);
  expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(2);
});

describe('the row of a session', () => {
  const readRow = async (data: object) => {
    const documents = createRawDocumentsInMemory([{ path: 'sessions/session-1', data }]);
    const found = await documents.getMany(['sessions/session-1'], ROW_FIELDS);
    return (await sessionRows(found, { documents, store: createMemoryStore() }, at(5)))[0];
  };

  it('has the facts of its document', async () => {
    const session = sampleSession({
      status: 'failed',
      failure,
      endedAt: at(3),
      executiveSummary: 'OOM.',
      cost: { usd: 0.5, unpricedCalls: 2 },
    });
    expect(await readRow(session)).toEqual({
      sessionId: 'session-1',
      title: sampleAlert().title,
      severity: sampleAlert().severity,
      source: sampleAlert().source,
      place: expect.objectContaining({ namespace: 'shop' }),
      reports: null,
      problem: expect.anything(),
      status: 'failed',
      chain: 'default',
      createdAt: SAMPLE_TIME.toISOString(),
      endedAt: at(3).toISOString(),
      durationMs: 180_000,
      cost: { usd: 0.5, unpricedCalls: 2 },
      executiveSummary: 'OOM.',
      failure: { code: 'MODEL_TIMEOUT', message: 'too slow' },
      rerunOf: null,
      kind: 'investigation',
      caveats: [],
      verdict: null,
    });
  });

  it('has nothing that its document lacks', async () => {
    expect(await readRow({})).toEqual({
      ...Object.fromEntries(
        ['title', 'severity', 'source', 'place', 'reports', 'problem', 'status', 'chain', 'createdAt'].map(
          (name) => [name, null],
        ),
      ),
      sessionId: 'session-1',
      endedAt: null,
      durationMs: null,
      cost: { usd: null, unpricedCalls: null },
      executiveSummary: null,
      failure: null,
      rerunOf: null,
      kind: null,
      caveats: [],
      verdict: null,
    });
  });

  it.each([
    ['in_progress', 300_000],
    ['deferred', null],
    ['completed', null],
  ] as const)('that is %s and has no end lasts %j ms', async (status, durationMs) => {
    expect(await readRow(sampleSession({ status }))).toMatchObject({ durationMs });
  });
});
