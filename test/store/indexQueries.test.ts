// Each index of firestore.indexes.json is needed: its queries, as the product sends them.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eraseSession, eraseTenant } from '../../cli/erase/erase.ts';
import { openDatabase } from '../../packages/local-cloud/src/database/database.ts';
import { createFirestoreService } from '../../packages/local-cloud/src/firestore/firestoreService.ts';
import { type IndexFile, readIndexes } from '../../packages/local-cloud/src/firestore/indexes/indexFile.ts';
import { createPlanner } from '../../packages/local-cloud/src/firestore/indexes/planner.ts';
import { parseQuery } from '../../packages/local-cloud/src/firestore/query/query.ts';
import type { Message } from '../../packages/local-cloud/src/protocol/protoFiles.ts';
import { startGrpcServer } from '../../packages/local-cloud/src/server/grpcServer.ts';
import { problemSubject } from '../../shared/alerts/problemState.ts';
import { createProblemReader } from '../../shared/alerts/readProblem.ts';
import type { Change } from '../../shared/changes/change.ts';
import type { BackgroundModel } from '../../shared/contract/backgroundModel.ts';
import { EMBEDDING_DIMENSIONS } from '../../shared/contract/embedder.ts';
import type { RawDatabase } from '../../shared/contract/rawDocuments.ts';
import { createDocument, putDocument } from '../../shared/core/contract/store.ts';
import type { Telemetry } from '../../shared/core/contract/telemetry.ts';
import { type StateDeps, systemClock } from '../../shared/core/kernel/deps.ts';
import { findLateSessions } from '../../shared/core/rescue/findLateSessions.ts';
import { sweepSessions } from '../../shared/core/rescue/sweep.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { DUE_BUCKETS } from '../../shared/core/schema/execution.ts';
import { listRuns } from '../../shared/engine/listRuns.ts';
import { listLatestChanges, searchChanges } from '../../shared/features/changes/findChanges.ts';
import { noteLateChange } from '../../shared/features/changes/noteLateChange.ts';
import { storeChange } from '../../shared/features/changes/storeChange.ts';
import { CHECKS } from '../../shared/features/checks/publishChecks.ts';
import { countSessions } from '../../shared/features/counts/countSessions.ts';
import { publishLate } from '../../shared/features/deliveries/outbox/publishLate.ts';
import { removeThoughts } from '../../shared/features/interactions/removeThoughts.ts';
import { forgetEntries } from '../../shared/features/knowledge/deleteKnowledge.ts';
import { SEEN_BEFORE } from '../../shared/features/knowledge/findSimilarSessions.ts';
import { reembedEntries } from '../../shared/features/knowledge/reembed.ts';
import { OUTCOMES } from '../../shared/features/outcomes/checkOutcomes.ts';
import { SWEEP_TELEMETRY } from '../../shared/features/telemetry/sweepTelemetry.ts';
import { listReviews } from '../../shared/features/work/listReviews.ts';
import { addKeys } from '../../shared/kits/alerts/fates/reportCounts.ts';
import { readCounts } from '../../shared/kits/counts/readCounts.ts';
import { listEntries } from '../../shared/kits/knowledge/editKnowledge.ts';
import { readTopology } from '../../shared/kits/topology/readTopology.ts';
import { countDropped } from '../../shared/kits/views/alerts/countDropped.ts';
import { fatesWith, listFates } from '../../shared/kits/views/alerts/listFates.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { listSessions } from '../../shared/kits/views/listSessions.ts';
import { readSessionView } from '../../shared/kits/views/sessionView.ts';
import { tenantSessions } from '../../shared/kits/views/tenantSessions.ts';
import { INDEXED_VERSIONS, paths, sessionType } from '../../shared/lists/documents.ts';
import { createLogger } from '../../shared/log.ts';
import { KNOWLEDGE_KINDS } from '../../shared/search/knowledge.ts';
import { runQuery } from '../../shared/search/runQuery.ts';
import type { WordQuery } from '../../shared/search/words.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createOutdatedDocuments } from '../../shared/store/firestore/outdatedDocuments.ts';
import { createRawDocuments } from '../../shared/store/firestore/rawDocuments.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { SAMPLE_TIME, sampleAlert, sampleDroppedAlerts, sampleSession } from '../support/samples.ts';

const file = JSON.parse(
  readFileSync(new URL('../../firestore.indexes.json', import.meta.url), 'utf8'),
) as IndexFile;

/** Nothing is due, so that no question is deleted. */
const NO_MODEL = {} as BackgroundModel;
/** The queries that reached the database since they were last taken. */
const sent: Message[] = [];
/** The services of the product, on a Firestore without an index file. */
let services: StateDeps & { raw: RawDatabase; outdated: ReturnType<typeof createOutdatedDocuments> };
let stop: () => Promise<void>;

beforeAll(async () => {
  const database = openDatabase();
  const service = createFirestoreService(database);
  const { RunQuery, RunAggregationQuery } = service.rpcs;
  if (
    !RunQuery ||
    !('serverStream' in RunQuery) ||
    !RunAggregationQuery ||
    !('serverStream' in RunAggregationQuery)
  )
    throw new Error('queries stream their answers');
  const rpcs = {
    ...service.rpcs,
    RunQuery: {
      serverStream: (request: Message) => {
        sent.push(request);
        return RunQuery.serverStream(request);
      },
    },
    RunAggregationQuery: {
      serverStream: (request: Message) => {
        sent.push({ parent: request.parent, ...request.structuredAggregationQuery });
        return RunAggregationQuery.serverStream(request);
      },
    },
  };
  const server = await startGrpcServer([{ ...service, rpcs }]);
  const { FIRESTORE_EMULATOR_HOST: shared } = process.env;
  process.env.FIRESTORE_EMULATOR_HOST = server.host;
  const options = { projectId: 'demo-indexes', timeoutMs: 60_000 };
  const [store, raw, outdated] = [
    createFirestoreStore(options),
    createRawDocuments(options),
    createOutdatedDocuments({ ...options, indexed: INDEXED_VERSIONS }),
  ];
  const log = createLogger({ LOG_LEVEL: 'silent' });
  const publisher = createMemoryPublisher();
  services = composeState({
    store,
    raw,
    outdated,
    log,
    clock: systemClock,
    publisher,
  });
  await store.commit([
    createDocument(paths.session('s'), sessionType, sampleSession({ sessionId: 's' })),
    putDocument('sessions/ended', rawDocumentType, { tenantId: 'a', status: 'completed', openStage: null }),
  ]);
  stop = async () => {
    await Promise.all([store.close(), raw.close(), outdated.close()]);
    if (shared === undefined) delete process.env.FIRESTORE_EMULATOR_HOST;
    else process.env.FIRESTORE_EMULATOR_HOST = shared;
    await server.stop();
    database.close();
  };
});
afterAll(() => stop());

/** The queries of one call of the product. */
async function captureQueries(run: () => Promise<unknown>) {
  sent.length = 0;
  await run();
  return sent.map(({ parent, structuredQuery }) => parseQuery(parent, structuredQuery));
}

/** `sessions: status, -createdAt`, or `executions everywhere: dueAt` of a collection group. */
function describeIndex(
  collection: string,
  scope: string,
  fields: readonly { path: string; mode: string | number }[],
): string {
  const texts = fields.map(({ path, mode }) => {
    if (mode === 'DESCENDING') return `-${path}`;
    return mode === 'ASCENDING' ? path : `${path} ${mode}`;
  });
  return `${collection}${scope === 'COLLECTION_GROUP' ? ' everywhere' : ''}: ${texts.join(', ')}`;
}

const composites = new Map(
  file.indexes.map((index) => [
    describeIndex(
      index.collectionGroup,
      index.queryScope,
      index.fields.map(({ fieldPath: path, order, arrayConfig, vectorConfig }) => ({
        path,
        mode: order ?? arrayConfig ?? vectorConfig?.dimension ?? '',
      })),
    ),
    { ...file, indexes: file.indexes.filter((other) => other !== index) },
  ]),
);
const singles = new Map(
  file.fieldOverrides.flatMap((field) =>
    field.indexes.map(({ queryScope, order, arrayConfig }) => [
      describeIndex(field.collectionGroup, queryScope, [
        { path: field.fieldPath, mode: order ?? arrayConfig ?? '' },
      ]),
      { ...file, fieldOverrides: file.fieldOverrides.filter((other) => other !== field) },
    ]),
  ),
);
/** The file without each of its indexes. */
const without = new Map<string, IndexFile>([...composites, ...singles] as [string, IndexFile][]);

const list = (filter: object, words?: WordQuery) =>
  listSessions({ filter, words, limit: 1, fields: [] }, 'a', services.raw);
const change = (fields: Partial<Change>) =>
  ({ tenantId: 'a', scopes: ['2026-11-05|shop'], ...fields }) as Change;
const scope = { tenantId: 'a', userId: 'anna' };
const find = (query: Parameters<typeof runQuery>[0]) =>
  runQuery(query, scope, {
    store: services.store,
    now: SAMPLE_TIME,
    embed: async () => ({ model: 'm', vector: Array.from({ length: EMBEDDING_DIMENSIONS }, () => 1) }),
  });
const alertIs = (alert = sampleAlert({ identity: 'prod/checkout' })) =>
  SEEN_BEFORE.addContext?.(
    { alert, session: sampleSession(scope), masker: { mask: (text: string) => text } } as never,
    undefined as never,
    services as never,
  );

const OF_SESSION = ['alertKeys', 'approvals', 'groupMembers', 'incidents', 'thoughts', 'waitingSessions'].map(
  (collection) => `${collection}: sessionId`,
);
const BY_TIME = [
  ['sessions', 'dueAt'],
  ['executions', 'dueAt'],
  ...DUE_BUCKETS.map((bucket) => ['executions', `due.${bucket}`]),
  ['executions', 'endedAt'],
].map(([collection, field]) => `${collection} everywhere: ${field}`);

/** Each query of the product that needs an index, and all indexes that it needs. */
const QUERIES: [name: string, run: () => Promise<unknown>, indexes: string[]][] = [
  ['a list of sessions', () => list({}), ['sessions: tenantId, -createdAt']],
  [
    'a list by several filters, in a period',
    () => list({ status: ['failed', 'timed_out'], kind: ['chat'], chain: ['default'], since: SAMPLE_TIME }),
    ['sessions: tenantId, parts.list.filters CONTAINS, -createdAt'],
  ],
  [
    'sessions with words',
    () => list({}, { words: ['pod'], anyOf: ['pod'] } as never),
    ['sessions: tenantId, parts.search.trigrams CONTAINS, -createdAt'],
  ],
  [
    'runs of a program by a label',
    () => listRuns({ labels: { team: 'shop' } }, services),
    ['sessions: parts.runFilters CONTAINS'],
  ],
  [
    'ids of sessions with a prefix',
    () =>
      tenantSessions({ documents: services.raw, store: services.store }, 'a').byId({
        idPrefix: 's',
        limit: 1,
      }),
    ['sessions: tenantId'],
  ],
  [
    'running sessions near to a late change',
    () => noteLateChange('c', change({}), services),
    ['sessions: tenantId, status, parts.changes.scopes CONTAINS'],
  ],
  [
    'the changes near to an alert',
    () =>
      searchChanges(
        { tenantId: 'a', scopes: ['shop'], since: SAMPLE_TIME, until: SAMPLE_TIME },
        services.store,
      ),
    ['changes: tenantId, scopes CONTAINS'],
  ],
  [
    'the list of changes',
    () =>
      listLatestChanges(
        { tenantId: 'a', scopes: ['shop'], since: SAMPLE_TIME, until: SAMPLE_TIME },
        { limit: 1 },
        { documents: services.raw, store: services.store },
      ),
    ['changes: tenantId, scopes CONTAINS, -at'],
  ],
  [
    'an earlier message about a change',
    () =>
      storeChange(
        { ...change({ key: 'k', resource: 'r', at: SAMPLE_TIME }), joins: null },
        'a',
        services,
      ).catch(() => {}),
    ['changes: tenantId, key'],
  ],
  [
    'FUZZY',
    () => find({ verb: 'fuzzy', text: 'payments', threshold: 0.3, limit: 1 }),
    ['knowledge: tenantId, userId, trigrams CONTAINS'],
  ],
  [
    'SEARCH',
    () => find({ verb: 'search', text: 'payments', kind: KNOWLEDGE_KINDS[0], limit: 1, minSimilarity: 0.3 }),
    [
      'knowledge: tenantId, userId, kind, trigrams CONTAINS',
      `knowledge: tenantId, userId, kind, embedding ${EMBEDDING_DIMENSIONS}`,
    ],
  ],
  [
    'sessions that were seen before',
    async () => alertIs(),
    [
      'knowledge: tenantId, userId, kind, session.trust, trigrams CONTAINS',
      ...['tenantId', 'userId', 'kind', 'session.identity', 'session.trust'].map(
        (field) => `knowledge: ${field}`,
      ),
    ],
  ],
  [
    'entries that a session was shown',
    () => forgetEntries({ sessionId: 's' }, { tenantId: 'a', by: 'anna' }, services),
    ['knowledge: tenantId, session.shown CONTAINS'],
  ],
  [
    'entries of a person',
    () => forgetEntries({ by: 'anna' }, { tenantId: 'a', by: 'anna' }, services),
    ['knowledge: tenantId, session.reviewedBy CONTAINS', 'knowledge: tenantId', 'knowledge: updatedBy'],
  ],
  [
    'entries of a tenant',
    () => listEntries(scope, { limit: 1 }, services),
    ['knowledge: tenantId', 'knowledge: userId'],
  ],
  [
    'entries to embed again',
    async () => {
      const embed = async () => ({ model: 'm', vector: [] });
      const { store, clock } = services;
      for await (const _ of reembedEntries({ store, clock, embed, model: 'm', isDryRun: true }));
    },
    ['knowledge: kind'],
  ],
  ['approvals that wait', () => listApprovals(services.store, SAMPLE_TIME), ['approvals: status']],
  [
    'approvals of a session',
    () => readSessionView('s', services.store, SAMPLE_TIME),
    ['approvals: sessionId'],
  ],
  [
    'problems that a session took over',
    () => createProblemReader(services.store)(problemSubject(sampleSession()), { firing: 1, joined: 1 }),
    ['incidents: sessionId'],
  ],
  ...(['messageId', 'sessionId', 'problem'] as const).map((field): (typeof QUERIES)[number] => [
    `fates by ${field}`,
    () => fatesWith(field, 'x', services.store),
    [`alertFates: ${field}`, `alertKeys: ${field}, fateId`],
  ]),
  [
    'fates of a tenant',
    () => {
      const filter = { since: SAMPLE_TIME, until: SAMPLE_TIME };
      return listFates('default', filter, { limit: 1 }, services.store);
    },
    ['alertKeys: fateId'],
  ],
  ...(
    [
      [{ outcome: ['dropped'] }, ['alertFates: outcome', 'alertKeys: fate.outcome, fateId']],
      [{ source: ['grafana'] }, ['alertFates: source', 'alertKeys: fate.source, fateId']],
      [
        { outcome: ['dropped'], source: ['grafana'] },
        ['alertFates: outcome, source', 'alertKeys: fate.outcome, fate.source, fateId'],
      ],
    ] as const
  ).map(([filter, indexes]): (typeof QUERIES)[number] => [
    `fates by ${Object.keys(filter).join(' and ')}`,
    () =>
      listFates(
        'default',
        { ...filter, since: SAMPLE_TIME, until: SAMPLE_TIME },
        { limit: 1 },
        services.store,
      ),
    [...indexes],
  ]),
  [
    'reports of a session in a storm',
    () => addKeys('s', { base: { firing: 1, resolved: 0, acknowledged: 0, joined: 0 } }, services.store),
    ['alertKeys: sessionId, counted'],
  ],
  [
    'dropped alerts of a rule and a day',
    () => countDropped({ ...sampleDroppedAlerts(), tenantId: 'default' }, services.store),
    ['alertFates: outcome, subject'],
  ],
  [
    'what erase --session deletes',
    () => eraseSession('ended', { ...services, dryRun: true, onErased: () => {} }),
    [
      ...OF_SESSION,
      ...['alertFates', 'asks', 'chatKeys', 'checks', 'topology'].map(
        (collection) => `${collection}: sessionId`,
      ),
      'correlations: tenantId',
    ],
  ],
  [
    'what erase --tenant deletes',
    () => eraseTenant('a', { ...services, dryRun: true, onErased: () => {} }),
    [
      ...OF_SESSION,
      ...[
        'asks',
        'changeCounts',
        'changes',
        'checks',
        'correlations',
        'knowledge',
        'sessions',
        'topology',
      ].map((collection) => `${collection}: tenantId`),
    ],
  ],
  [
    'edges near a place',
    () => readTopology({ tenantId: 'a', names: ['checkout'] }, services.store, new Date()),
    ['topology: tenantId, names CONTAINS'],
  ],
  [
    'edges of a tenant',
    () => readTopology({ tenantId: 'a' }, services.store, new Date()),
    ['topology: tenantId'],
  ],
  ['open sessions', () => sweepSessions(services, []), ['sessions: status', 'sessions everywhere: dueAt']],
  ['late sessions', () => findLateSessions(new Date(0), new Date(), services.store), BY_TIME],
  [
    'late messages of the outbox',
    () => publishLate(services),
    ['deliveries', 'deliveryGroups', 'inbox'].map((collection) => `${collection} everywhere: dueAt`),
  ],
  ['checks that are due', () => CHECKS.run(services), ['checks everywhere: dueAt']],
  ['outcomes that are due', () => OUTCOMES.run(services), ['outcomes everywhere: dueAt']],
  [
    'spans that were not exported',
    () =>
      SWEEP_TELEMETRY.run({
        ...services,
        telemetry: { exportMetrics: async () => {} } as unknown as Telemetry,
      }),
    ['telemetry everywhere: dueAt', 'approvals: status', 'deliveries everywhere: dueAt'],
  ],
  ['questions to delete', () => removeThoughts(NO_MODEL).run(services), ['thoughts everywhere: dueAt']],
  ['sessions to count', () => countSessions(services.raw).run(services), ['sessionCounts everywhere: dueAt']],
  [
    'counts of a tenant',
    () => readCounts({ by: 'day', days: 7, now: new Date() }, 'default', services.store),
    [],
  ],
  [
    'reviews of sessions',
    () => listReviews({ since: new Date(0) }, 'default', { documents: services.raw }),
    ['sessions: tenantId, -createdAt'],
  ],
  [
    'documents of other versions',
    async () => {
      for (const collection of INDEXED_VERSIONS) {
        await services.outdated.count(collection, 2);
        await services.outdated.countNewer(collection, 2);
        for await (const _ of services.outdated.pages(collection, 2));
      }
    },
    [...INDEXED_VERSIONS].map((collection) => `${collection} everywhere: schemaVersion`),
  ],
];

/** Firestore could merge others in their place, and read more entries (listReads.test.ts). */
const FOR_FEWER_READS = ['alertFates: outcome, source', 'alertKeys: fate.outcome, fate.source, fateId'];

describe('the queries of the product', () => {
  it.each(QUERIES)('%s', async (_, run, indexes) => {
    const queries = await captureQueries(run);
    expect(queries).not.toEqual([]);
    const planner = createPlanner(readIndexes(file));
    const used = queries.flatMap((query) => {
      const { scope, lookups } = planner.plan(query);
      return lookups.flatMap((lookup) =>
        lookup.indexes.map((index) => {
          const fields = index.filter(({ key }) => key !== '__name__');
          return describeIndex(
            query.source.collectionId ?? '',
            scope,
            fields.map(({ key, mode }) => ({ path: key.replaceAll('\0', '.'), mode })),
          );
        }),
      );
    });
    expect([...new Set(used)].filter((index) => !index.endsWith(': ')).sort()).toEqual(
      [...new Set(indexes)].sort(),
    );
    for (const index of indexes.filter((one) => !FOR_FEWER_READS.includes(one))) {
      const less = createPlanner(readIndexes(without.get(index) ?? file));
      const plan = () => queries.map((query) => less.plan(query));
      expect(plan, `${index} is not needed`).toThrow('The query requires');
    }
  });

  it('need each index of the file', () => {
    expect([...without.keys()].sort()).toEqual(
      [...new Set(QUERIES.flatMap(([, , indexes]) => indexes))].sort(),
    );
  });
});
