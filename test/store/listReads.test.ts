// Each filter, and each pair of filters, of a list reads no more documents than a page has, plus one, and no
// more than twice as many index entries: an index answers it, however many documents there are.

import { expect, it, onTestFinished } from 'vitest';
import * as z from 'zod';
import type { AnyRoute } from '../../shared/api/http/route.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { createDocument } from '../../shared/core/contract/store.ts';
import { deriveFields } from '../../shared/core/kernel/stageFeature.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import { listRuns, RUN_FILTERS } from '../../shared/engine/listRuns.ts';
import { countAgain } from '../../shared/kits/counts/count.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { ROUTES } from '../../shared/lists/routes.ts';
import { countEnded } from '../../shared/lists/sweepFeatures.ts';
import { runLabelsPart } from '../../shared/schema/runLabels.ts';
import { wordQuery } from '../../shared/search/words.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { startApiBench } from '../support/apiBench.ts';
import { IS_FULL, IS_LONG } from '../support/fullTests.ts';
import { startLimitedFirestore } from '../support/limitedFirestore.ts';
import { storeListed } from '../support/listDocuments.ts';
import { composeSessionId, LONG_AMOUNT, openedAt, storeSessions } from '../support/manySessions.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { sampleEvent, sampleSession } from '../support/samples.ts';

const AMOUNT = {
  ...(IS_LONG ? LONG_AMOUNT : { sessions: IS_FULL ? 900 : 300, tenants: 3 }),
  until: new Date(),
};
/** Longer than any machine takes. */
const LIMIT_MS = 3 * 3_600_000;
const PAGE = 10;
const TENANT = 'tenant-1';
/** A session in the middle of the tenant's. */
const SESSION = 151;

/** Parameters that choose a part of the result, and are no filters. */
const NO_FILTERS = new Set(['after', 'limit', 'position', 'resultBytes']);
const PERIOD = {
  since: openedAt(AMOUNT.sessions / 10, AMOUNT).toISOString(),
  until: openedAt(AMOUNT.sessions * 0.9, AMOUNT).toISOString(),
};

/** A value of each filter of each list, which finds few of many documents. */
const VALUES: Record<string, Record<string, string>> = {
  listSessions: {
    status: 'failed,timed_out',
    kind: 'chat',
    source: 'grafana',
    severity: 'P1',
    chain: 'storage',
    verdict: 'inconclusive',
    place: 'web-7',
    q: 'payments',
    ...PERIOD,
  },
  findSessionIds: { prefix: '2026-11-05-session-0001' },
  listAlerts: {
    message: `message-${SESSION}`,
    session: composeSessionId(SESSION),
    problem: '0'.repeat(32),
    outcome: 'dropped',
    source: 'grafana',
    q: 'payments',
    ...PERIOD,
  },
  listChanges: { resource: 'web-7', kind: 'flag', q: 'payments', ...PERIOD },
  getTimeline: {},
  listApprovals: {},
  listKnowledge: {},
  listAgents: {},
  listRejectedMessages: { days: '2' },
  listDroppedAlerts: { days: '2' },
  listWork: {},
  listGuidance: {},
  listDeliveries: {},
};

/** Fates are in two collections. */
const TWO_COLLECTIONS = 'listAlerts';
/** An index has an entry for each three letters of a word that is nearly the same. */
const WORDS = { list: 'listSessions', filter: 'q', entries: wordQuery('payments')?.anyOf.length ?? 0 };

interface Filters {
  filters: string[];
  /** Filters without which a request is refused. */
  required: string[];
}

interface List extends Filters {
  route: AnyRoute;
}

/** The lists with pages of a given size, and their filters, from the schemas of the API. */
const LISTS: List[] = ROUTES.flatMap((route: AnyRoute) => {
  const { query } = route;
  if (route.method !== 'get' || !(query instanceof z.ZodObject) || !('limit' in query.shape)) return [];
  const filters = Object.keys(query.shape).filter((name) => !NO_FILTERS.has(name));
  const required = filters.filter((name) => !z.safeParse(query.shape[name], undefined).success);
  return [{ route, filters, required }];
});

/** No filter, each one, and in CI each pair, with those that are required. */
function listCombinations({ filters, required }: Filters): string[][] {
  const others = filters.filter((name) => !required.includes(name));
  const pairs = IS_FULL
    ? others.flatMap((one, index) => others.slice(index + 1).map((other) => [one, other]))
    : [];
  return [[], ...others.map((one) => [one]), ...pairs].map((names) => [...required, ...names]);
}

/** The reads so far. */
async function sumReads({ report }: Awaited<ReturnType<typeof startLimitedFirestore>>) {
  const { queries } = await report();
  const byName = queries.filter(({ query }) => query.endsWith(': by name'));
  const sum = (rows: typeof queries, field: 'documents' | 'indexEntries') =>
    rows.reduce((count, row) => count + row[field], 0);
  return {
    found: sum(queries, 'documents') - sum(byName, 'documents'),
    entries: sum(queries, 'indexEntries'),
    byName: sum(byName, 'documents'),
  };
}

/** Starts an API on a Firestore that counts reads. */
async function startCounted() {
  const firestore = await startLimitedFirestore(1_000_000);
  const config = loadSessionConfig(ownConfig({}));
  const api = await startApiBench({
    script: { conversations: [{ turns: [{ text: 'Done.' }] }] },
    readConfig: () => config,
  });
  firestore.clock = api.deps.clock;
  const total = () => sumReads(firestore);
  await storeSessions(AMOUNT, api.deps);
  const place = { sessionId: composeSessionId(SESSION), stageId: '01-a', executionId: '01-a' };
  await api.deps.store.commit(
    Array.from({ length: 5 * PAGE }, (_, n) => {
      const event = sampleEvent('llm_response', { ...place, sequenceNumber: n + 1 });
      return createDocument(paths.event(place.sessionId, place.executionId, n + 1), timelineEventType, event);
    }),
  );
  const { documents: sessions } = api;
  const own = await sessions.list({
    collection: paths.sessions,
    equal: { field: 'tenantId', value: TENANT },
    limit: 400,
    fields: [],
  });
  const expireAt = new Date(AMOUNT.until.getTime() + 86_400_000);
  await api.deps.store.commit(
    own.map(({ id }) => countAgain({ sessionId: id, expireAt }, api.deps.clock.now())),
  );
  await countEnded(api.documents).run(api.deps);
  const listed = { sessionId: place.sessionId, tenantId: TENANT, now: api.deps.clock.now() };
  await storeListed(5 * PAGE, listed, api.deps.store);
  return {
    /** The reads of a request. */
    async countReads(path: string, isForOperators = false) {
      const before = await total();
      const answer = await api.ask(path, isForOperators ? {} : { headers: { 'x-tenant-id': TENANT } });
      const after = await total();
      expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).toBe(200);
      return {
        found: after.found - before.found,
        entries: after.entries - before.entries,
        byName: after.byName - before.byName,
      };
    },
  };
}

it('has a value for each filter', () => {
  for (const { route, filters } of LISTS)
    expect(Object.keys(VALUES[route.id] ?? {}).sort(), `of ${route.id}`).toEqual(filters.sort());
});

it(
  'reads a page and one document more, and twice as many index entries',
  async () => {
    const { countReads } = await startCounted();
    const unexpected: Record<string, object> = {};
    let slowest = 0;
    for (const list of LISTS)
      for (const combination of listCombinations(list)) {
        const { route } = list;
        const values = combination.map((name) => [name, VALUES[route.id]?.[name] ?? '']);
        const search = new URLSearchParams({ ...Object.fromEntries(values), limit: String(PAGE) });
        const path = route.path.replace('{sessionId}', composeSessionId(SESSION));
        const startedAt = performance.now();
        const reads = await countReads(`${path}?${search}`, route.isForOperators);
        slowest = Math.max(slowest, performance.now() - startedAt);
        const hasWords = route.id === WORDS.list && combination.includes(WORDS.filter);
        const entries = (hasWords ? WORDS.entries : 2) * (PAGE + 1);
        const found = (route.id === TWO_COLLECTIONS ? 2 : 1) * (PAGE + 1);
        if (reads.found <= found && reads.entries <= entries && reads.byName <= 3 * PAGE + 2) continue;
        unexpected[`${route.id} ${combination.join(' ')}`] = reads;
      }
    if (IS_LONG) console.log(`the slowest of ${AMOUNT.sessions} sessions: ${Math.round(slowest)} ms`);
    expect(unexpected).toEqual({});
    // Lists with pages of their own size.
    for (const [path, least, size] of [
      // Sessions, and the work on those that have some.
      ['/v1/reviews?days=2', 1, 100 + 5 * PAGE],
      ['/v1/usage/chain?days=7', 1, 7],
      ['/v1/calibration?days=7', 0, 14],
    ] as const) {
      const { found, entries } = await countReads(path);
      expect(found, path).toBeGreaterThanOrEqual(least);
      expect(found, path).toBeLessThanOrEqual(size + 1);
      expect(entries, path).toBeLessThanOrEqual(2 * (size + 1));
    }
  },
  LIMIT_MS,
);

it('a list of runs of a program reads no more by labels, tenant, status, and each two of them', async () => {
  const firestore = await startLimitedFirestore(1_000_000);
  const store = createFirestoreStore({ projectId: 'demo-runs', timeoutMs: 60_000 });
  onTestFinished(() => store.close());
  const runs = Array.from({ length: 300 }, (_, n) => {
    const labels = { team: n % 7 === 0 ? 'shop' : 'search', stage: n % 5 === 0 ? 'test' : 'prod' };
    const session = sampleSession({
      sessionId: composeSessionId(n),
      tenantId: n % 4 === 0 ? 'acme' : 'other',
      status: n % 6 === 0 ? 'failed' : 'completed',
    });
    return deriveFields(withPart(runLabelsPart, session, labels), undefined, {
      stageFeatures: [RUN_FILTERS],
    });
  });
  await store.commit(runs.map((run) => createDocument(paths.session(run.sessionId), sessionType, run)));
  const given = { team: 'shop', stage: 'test', tenant: 'acme', status: ['failed', 'timed_out'] as const };
  const names = Object.keys(given);
  for (const combination of listCombinations({ filters: names, required: [] })) {
    const { team, stage, ...rest } = Object.fromEntries(
      Object.entries(given).filter(([name]) => combination.includes(name)),
    ) as Partial<typeof given>;
    const labels = { ...(team && { team }), ...(stage && { stage }) };
    const before = await sumReads(firestore);
    const { runs: listed } = await listRuns({ labels, ...rest, limit: PAGE }, { store });
    const { found, entries, byName } = await sumReads(firestore);
    const expected = runs.filter(
      ({ tenantId, status, parts }) =>
        (rest.tenant ?? tenantId) === tenantId &&
        (rest.status?.includes(status as never) ?? true) &&
        Object.entries(labels).every(
          ([name, value]) => (parts.runLabels as typeof labels)[name as 'team'] === value,
        ),
    );
    expect(listed.map(({ id }) => id)).toEqual(expected.slice(0, PAGE).map(({ sessionId }) => sessionId));
    expect(found - before.found, combination.join()).toBeLessThanOrEqual(PAGE + 1);
    expect(entries - before.entries, combination.join()).toBeLessThanOrEqual(2 * (PAGE + 1));
    expect(byName).toBe(before.byName);
  }
});
