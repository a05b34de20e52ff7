// Documents of every collection that cannot be read, beside good ones: no route fails, and answers name them.

import { describe, expect, it } from 'vitest';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { putDocument } from '../../shared/core/contract/store.ts';
import type { Collection } from '../../shared/core/schema/defineCollection.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { fateId } from '../../shared/kits/alerts/fates/fateId.ts';
import { COLLECTIONS, knowledgeType, paths } from '../../shared/lists/documents.ts';
import { ROUTES } from '../../shared/lists/routes.ts';
import { listTrigrams } from '../../shared/search/trigrams.ts';
import { utcDay, utcHour } from '../../shared/text/utcPeriod.ts';
import { startApiBench } from '../support/apiBench.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { sampleKnowledge } from '../support/samples.ts';

const SCRIPT = { conversations: [{ turns: [{ text: '{"answer": "Done."}' }] }] };

/** The statuses of routes that cannot answer: all others do. */
const UNLIKE_OTHERS = new Map([
  ['findAlert', 404],
  // The entry is of a person, so that no text waits for a confirmation.
  ['showKnowledgeText', 404],
  // A conversation with a gap would be another one.
  ['exportConversation', 409],
  // The session is no fork.
  ['compareFork', 409],
]);

/** A collection's documents that cannot be read. */
interface Harmed {
  paths: string[];
  /** What queries find them by. */
  fields?: object;
  /** The route that names them; absent where no view reads the collection. */
  namedBy?: string;
}

/** Two documents of each collection, and where they are named. */
function harmedOf(sessionId: string, executionId: string, now: Date): Record<string, Harmed> {
  const below = paths.session(sessionId);
  const both = (start: string, end = ''): string[] => [`${start}bad1${end}`, `${start}bad2${end}`];
  const numbered = (start: string): string[] => [800, 801].map((n) => `${start}${executionId}.000${n}`);
  const inSession = (name: string): string[] => both(`${below}/${name}/`);
  const entry = { tenantId: 'default', userId: null, kind: 'resource', trigrams: listTrigrams('database') };
  const special = {
    sessions: {
      paths: both('sessions/2026-11-05-'),
      fields: { tenantId: 'default', createdAt: now },
      namedBy: 'listSessions',
    },
    alertBody: { paths: [paths.alertBody(sessionId, 2), paths.alertBody(sessionId, 3)], namedBy: 'getAlert' },
    alertKeys: { paths: ['a', 'b'].map((digit) => paths.alertKey(digit.repeat(64))) },
    alertFates: {
      paths: both(`alertFates/${fateId('default', now, '')}`),
      fields: { tenantId: 'default' },
      namedBy: 'listAlerts',
    },
    checks: { paths: both('checks/'), fields: { tenantId: 'default' } },
    schedules: { paths: both('schedules/'), fields: { tenantId: 'default' } },
    alertCounts: { paths: [paths.alertCounts(sessionId)], namedBy: 'getSession' },
    stages: { paths: inSession('stages'), namedBy: 'getSession' },
    executions: { paths: inSession('executions'), namedBy: 'listGuidance' },
    timeline: { paths: numbered(`${below}/timeline/`), namedBy: 'getTimeline' },
    messages: { paths: numbered(`${below}/messages/`), namedBy: 'listMessages' },
    parts: { paths: both(`${paths.message(sessionId, executionId, 1)}/parts/`) },
    interactions: { paths: numbered(`${below}/interactions/`), namedBy: 'listInteractions' },
    rejectedMessages: {
      paths: both(`rejectedMessages/ingestAlert.${utcHour(now)}.`),
      namedBy: 'listRejectedMessages',
    },
    droppedAlerts: { paths: both(`droppedAlerts/${utcDay(now)}.`), namedBy: 'listDroppedAlerts' },
    control: { paths: [paths.control(sessionId)] },
    guidance: { paths: inSession('guidance'), namedBy: 'listGuidance' },
    agents: { paths: ['agents/looker', 'agents/ghost'], namedBy: 'listAgents' },
    approvals: {
      paths: both('approvals/'),
      fields: { sessionId, status: 'pending' },
      namedBy: 'listApprovals',
    },
    work: { paths: inSession('work'), namedBy: 'listWork' },
    outcomes: { paths: [paths.outcome(sessionId)], namedBy: 'getClaims' },
    deliveries: { paths: inSession('deliveries'), namedBy: 'listDeliveries' },
    knowledge: { paths: both('knowledge/default.'), fields: entry, namedBy: 'listKnowledge' },
    dayCounts: {
      paths: both(`dayCounts/default.day.${utcDay(now)}`),
      fields: { tenantId: 'default' },
      namedBy: 'reportUsage',
    },
    allowances: { paths: both('allowances/sessions~', `.${utcHour(now)}.0`), namedBy: 'listUsage' },
  } satisfies Partial<Record<keyof typeof COLLECTIONS, Harmed>>;
  const usual = Object.values<Collection>(COLLECTIONS).map(({ collection, owner }) => [
    collection,
    { paths: owner === 'below' ? inSession(collection) : both(`${collection}/`) },
  ]);
  return { ...Object.fromEntries(usual), ...special };
}

/** One document with a field of a wrong type, and one of newer code. */
function writesOf(harmed: Record<string, Harmed>) {
  return Object.entries(COLLECTIONS).flatMap(([name, { version }]) =>
    (harmed[name] as Harmed).paths.map((path, index) => {
      const data = { ...harmed[name]?.fields, expireAt: 'tomorrow', schemaVersion: version + index };
      return putDocument(path, rawDocumentType, data);
    }),
  );
}

/** Reads a stream until it has sent an event with this name. */
async function readUntil(response: Response, event: string): Promise<string> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.includes(`event: ${event}\n`)) break;
  }
  return text;
}

describe('documents that cannot be read, in every collection', () => {
  it('fail no route, and are named beside all that can be read', async () => {
    const config = loadSessionConfig(ownConfig({ tools: [] }));
    const bench = await startApiBench({ script: SCRIPT, readConfig: () => config });
    const sessionId = await bench.investigate();
    const { execution } = await bench.read(sessionId);
    const { executionId } = execution;
    const at = new Date(bench.deps.clock.now().getTime() - 60_000).toISOString();
    const change = JSON.stringify({ id: 1, resource: 'k8s:prod/shop/Deployment/cart', title: 'cart 2', at });
    await bench.ask('/v1/changes', { method: 'POST', body: change });
    await bench.drain();
    const changeId = (await bench.ask('/v1/changes')).body.changes[0].id;
    const { checkId } = (await bench.ask('/v1/checks', { body: { question: 'Is all well?' } })).body;
    const { store, clock } = bench.deps;
    const good = sampleKnowledge({ key: 'good', title: 'database', trigrams: listTrigrams('database') });
    await store.commit([putDocument(paths.knowledgeEntry('default', 'good'), knowledgeType, good)]);
    const routes = ROUTES.filter(({ method }) => method === 'get');
    const params: Record<string, string> = {
      sessionId,
      executionId,
      checkId,
      changeId,
      sequenceNumber: '1',
      eventId: `${executionId}.000001`,
      key: 'good',
      name: 'looker',
      by: 'day',
      model: 'inquest',
      alertKey: 'c'.repeat(64),
    };
    const queries: Record<string, string[]> = {
      getAlert: ['?part=2', '?part=3'],
      searchKnowledge: ['LOOKUP good,bad1', 'FUZZY database', 'SEARCH database IN resources'].map(
        (query) => `?q=${encodeURIComponent(query)}`,
      ),
      listSessions: ['', '?status=completed', '?q=disk'],
      findSessionIds: [`?prefix=${sessionId}`],
    };
    const askAll = async () => {
      const answers = new Map<string, Awaited<ReturnType<typeof bench.ask>>[]>();
      for (const { id, path, streams } of routes) {
        if (streams) continue;
        const addresses = (queries[id] ?? ['']).map(
          (query) => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => params[name] ?? '') + query,
        );
        answers.set(id, await Promise.all(addresses.map((address) => bench.ask(address))));
      }
      return answers;
    };
    const before = await askAll();
    const harmed = harmedOf(sessionId, executionId, clock.now());
    await store.commit(writesOf(harmed));
    const after = await askAll();
    const statuses = [...after].map(([id, answers]) => [id, answers.map(({ status }) => status)]);
    const expected = [...after].map(([id, answers]) => [id, answers.map(() => UNLIKE_OTHERS.get(id) ?? 200)]);
    expect(statuses).toEqual(expected);

    for (const [name, { paths: broken, namedBy }] of Object.entries(harmed)) {
      if (namedBy === undefined) continue;
      const text = JSON.stringify(after.get(namedBy)?.map(({ body }) => body.unreadable ?? body.agents));
      for (const path of broken) expect([name, text]).toEqual([name, expect.stringContaining(path)]);
    }
    const [session] = after.get('getSession') ?? [];
    const inSession = ['stages', 'executions', 'timeline', 'interactions', 'approvals', 'alertCounts'];
    expect(session?.body.unreadable.map(({ path }: { path: string }) => path).sort()).toEqual(
      inSession.flatMap((name) => harmed[name]?.paths ?? []).sort(),
    );
    for (const one of session?.body.unreadable ?? [])
      expect(one).toMatchObject({
        code: expect.stringMatching(/^(DOCUMENT_INVALID|SCHEMA_TOO_NEW)$/),
        message: expect.stringContaining(one.path),
      });
    const rest: [string, string][] = [
      ['getSession', 'stages'],
      ['getTimeline', 'events'],
      ['listMessages', 'messages'],
      ['listInteractions', 'interactions'],
      ['listSessionInteractions', 'interactions'],
      ['listKnowledge', 'entries'],
      ['searchKnowledge', 'entries'],
    ];
    for (const [id, field] of rest) {
      const shown = (answers = before.get(id)) => answers?.map(({ body }) => body[field]);
      expect([id, shown()?.flat().length]).not.toEqual([id, 0]);
      expect([id, shown(after.get(id))]).toEqual([id, shown()]);
    }
    const listed = after
      .get('listSessions')?.[0]
      ?.body.sessions.map((row: { sessionId: string }) => row.sessionId);
    expect(listed.sort()).toEqual([sessionId, '2026-11-05-bad1', '2026-11-05-bad2'].sort());

    const stream = await readUntil(await bench.fetch(`/v1/sessions/${sessionId}/events`), 'end');
    for (const path of harmed.timeline?.paths ?? []) expect(stream.split(`"path":"${path}"`)).toHaveLength(2);
    expect(stream).toContain('event: timeline\n');
    const all = await bench.fetch('/v1/sessions/events?since=2026-11-05T00:00:00Z');
    expect(await readUntil(all, 'session')).toContain(sessionId);
    for (const [path, code] of [
      ['sessions/2026-11-05-bad1', 'DOCUMENT_INVALID'],
      ['sessions/2026-11-05-bad2', 'SCHEMA_TOO_NEW'],
      [harmed.timeline?.paths[0], 'DOCUMENT_INVALID'],
    ])
      expect(await bench.ask(`/v1/${path}`)).toMatchObject({
        status: 409,
        body: { code, detail: expect.stringContaining(String(path)) },
      });
  });
});
