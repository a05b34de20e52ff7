// GET /v1/sessions: filters, words, and pages that neither skip nor repeat.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { alertForPrompt } from '../../../shared/alerts/prompt.ts';
import type { Alert } from '../../../shared/alerts/schema/alert.ts';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { createDocument, deleteDocument } from '../../../shared/core/contract/store.ts';
import { deriveFields } from '../../../shared/core/kernel/stageFeature.ts';
import { readPart, withPart } from '../../../shared/core/schema/parts.ts';
import type { Session } from '../../../shared/core/schema/session.ts';
import { verdictPart } from '../../../shared/evidence/schema/verdict.ts';
import { countCombinations, MAX_COMBINATIONS } from '../../../shared/kits/views/sessionFilter.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { STAGE_FEATURES } from '../../../shared/lists/stageFeatures.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { randomRuns } from '../../support/fullTests.ts';
import {
  SAMPLE_TIME,
  sampleAlert,
  sampleAlertPart,
  sampleSession,
  sampleVerdict,
} from '../../support/samples.ts';

type Api = Awaited<ReturnType<typeof startApiBench>>;

const SOURCES = ['alertmanager', 'grafana', 'json'];
const SEVERITIES = ['critical', 'P1', 'Critical', 'warning'];
const KINDS = ['investigation', 'chat', 'check'] as const;
const STATUSES = ['completed', 'failed', 'in_progress'] as const;
const CHAINS = ['default', 'storage'];
const JUDGED = ['likely', 'inconclusive', null] as const;
const WORDS = ['payments', 'checkout', 'disk', 'CrashLoopBackOff'];

const start = () => startApiBench({ script: { conversations: [{ turns: [{ text: 'Done.' }] }] } });
const derived = (one: Session) => deriveFields(one, undefined, { stageFeatures: STAGE_FEATURES });
const at = (minutes: number) => new Date(SAMPLE_TIME.getTime() + minutes * 60_000);

/** The nth of sessions whose fields go through all their values; three of them share each moment. */
function session(n: number, { alert, ...change }: Partial<Session> & { alert?: Alert | null } = {}): Session {
  const pick = <T>(values: readonly T[], every: number) => values[Math.floor(n / every) % values.length] as T;
  const status = pick(STATUSES, 1);
  const word = pick(WORDS, 5);
  const chain = { ...sampleSession().chain, name: pick(CHAINS, 7) };
  const hasEnded = status !== 'in_progress';
  return sampleSession({
    sessionId: `2026-11-05-session-${String(n).padStart(4, '0')}`,
    status,
    chain,
    ...withPart(
      verdictPart,
      sampleAlertPart(
        alert === undefined
          ? sampleAlert({
              title: `${word} is down`,
              source: pick(SOURCES, 2),
              severity: pick(SEVERITIES, 3),
              labels: {},
              summary: null,
            })
          : alert,
      ),
      sampleVerdict(pick(JUDGED, 2)),
    ),
    kind: pick(KINDS, 4),
    finalAnalysis: hasEnded ? `The cause is number ${n}.` : null,
    createdAt: at(Math.floor(n / 3)),
    endedAt: hasEnded ? at(Math.floor(n / 3) + ((n * 7) % 30)) : null,
    ...change,
  });
}

/** Stores sessions, and deletes others. */
async function store(api: Api, sessions: Session[], deleted: Session[] = []): Promise<void> {
  const pathOf = (one: Session) => paths.session(one.sessionId);
  const writes = [
    ...sessions.map((one) => createDocument(pathOf(one), sessionType, one)),
    ...deleted.map((one) => deleteDocument(pathOf(one), sessionType)),
  ];
  for (let from = 0; from < writes.length; from += 300)
    expect(await api.deps.store.commit(writes.slice(from, from + 300))).toMatchObject({ ok: true });
}

/**
 * All ids of a list, page by page, and how many pages they take.
 * @param between called after each page but the last, with the ids so far and the cursor.
 */
async function walk(
  api: Api,
  query: Record<string, string>,
  between?: (ids: readonly string[], after: string) => Promise<void>,
): Promise<{ ids: string[]; pages: number }> {
  const ids: string[] = [];
  let after: string | null = null;
  let pages = 0;
  do {
    const search = new URLSearchParams({ ...query, ...(after !== null && { after }) });
    const { status, body } = await api.ask(`/v1/sessions?${search}`);
    expect(status, JSON.stringify(body)).toBe(200);
    ids.push(...body.sessions.map(({ sessionId }: { sessionId: string }) => sessionId));
    after = body.next;
    pages += 1;
    if (after !== null) await between?.(ids, after);
  } while (after !== null);
  return { ids, pages };
}

describe('a list', () => {
  it('has exactly the sessions that its filters let through, each once, whatever the size of its pages and whatever comes and goes', async () => {
    const api = await start();
    const own = Array.from({ length: 70 }, (_, n) => derived(session(n)));
    const others = Array.from({ length: 30 }, (_, n) =>
      derived(session(n * 2, { sessionId: `2026-11-05-other-${n}`, tenantId: 'acme' })),
    );
    await store(api, [...own, ...others]);
    const some = <T>(values: readonly T[]) =>
      fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined });
    const filters = fc.record({
      status: some(STATUSES),
      kind: some(KINDS),
      source: some(SOURCES),
      severity: some(SEVERITIES),
      chain: some(CHAINS),
      verdict: some(['likely', 'inconclusive', 'not_checked']),
      since: fc.option(fc.nat(24), { nil: undefined }),
      until: fc.option(fc.nat(24), { nil: undefined }),
      q: fc.option(fc.constantFrom(...WORDS), { nil: undefined }),
      limit: fc.integer({ min: 1, max: 25 }),
    });
    await fc.assert(
      fc.asyncProperty(filters, async ({ limit, since, until, q, ...fields }) => {
        const { status, kind, source, severity, chain, verdict } = fields;
        fc.pre(countCombinations(fields) <= MAX_COMBINATIONS);
        const levels = severity?.map((word) => word.toLowerCase());
        const expected = own.filter(
          (one) =>
            (status?.includes(one.status as never) ?? true) &&
            (source?.includes(readSessionAlert(one)?.source ?? '') ?? true) &&
            (kind?.includes(one.kind as never) ?? true) &&
            (levels?.includes(readSessionAlert(one)?.severity?.toLowerCase() ?? '') ?? true) &&
            (chain?.includes(one.chain.name) ?? true) &&
            (verdict?.includes(readPart(verdictPart, one)?.value ?? 'not_checked') ?? true) &&
            (since === undefined || one.createdAt >= at(since)) &&
            (until === undefined || one.createdAt <= at(until)) &&
            (q === undefined || (readSessionAlert(one)?.title.includes(q) ?? false)),
        );
        expected.sort(
          (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.sessionId < b.sessionId ? 1 : -1),
        );
        const query = Object.entries({
          ...fields,
          since: since === undefined ? undefined : at(since).toISOString(),
          until: until === undefined ? undefined : at(until).toISOString(),
          q,
          limit,
        }).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
        // Newer sessions come, and those of earlier pages go.
        const [gone, added]: [Session[], Session[]] = [[], []];
        const { ids } = await walk(api, Object.fromEntries(query), async (listed, after) => {
          const [one] = own.filter(({ sessionId }) => sessionId === listed.at(-2));
          const newer = { ...derived(session(70 + added.length)), createdAt: at(25) };
          added.push(newer);
          const deleted =
            one === undefined || after.endsWith(one.sessionId) || gone.includes(one) ? [] : [one];
          gone.push(...deleted);
          await store(api, [newer], deleted);
        });
        expect(ids).toEqual(expected.map(({ sessionId }) => sessionId));
        await store(api, gone, added);
      }),
      { numRuns: randomRuns(60), endOnFailure: true },
    );
  });

  it.each([
    ['source=nagios', /^query\.source: /],
    ['chain=a%2Fb', /^query\.chain: /],
    ['severity=,', /^query\.severity: /],
    ['until=yesterday', /^query\.until: /],
    ['q=%21', /^query\.q: must hold a letter or a digit/],
    [`q=${'x'.repeat(201)}`, /^query\.q: /],
    ['after=nosuch', /^query\.after: nosuch is of no such list/],
    ['after=nosuch&q=disk', /^query\.after: nosuch is of no such list/],
    ['after=entry%3Anosuch', /^query\.after: /],
    [
      `status=completed,failed,cancelled,timed_out&severity=${'abcdefgh'.split('').join(',')}`,
      /^query: .* more than 30 combinations of values/,
    ],
  ])('that cannot be meant is refused: %s', async (query, detail) => {
    const api = await start();
    const { status, body } = await api.ask(`/v1/sessions?${query}`);
    expect({ status, ...body }).toMatchObject({
      status: 400,
      code: 'REQUEST_INVALID',
      detail: expect.stringMatching(detail),
    });
  });
});

describe('words', () => {
  const body = (text: string) =>
    alertForPrompt(sampleAlert(), text, { maxBytes: 64_000, nonce: sampleSession().dataNonce });

  it.each<[string, Parameters<typeof session>[1], string[]]>([
    [
      'runs',
      { status: 'in_progress', endedAt: null, finalAnalysis: null },
      ['ledger', 'quorum', 'etcd quorum'],
    ],
    ['has failed without an analysis', { status: 'failed', finalAnalysis: null }, ['ledger', 'quorum']],
    ['is deferred', { status: 'deferred', endedAt: null, finalAnalysis: null }, ['ledger', 'quorum']],
    [
      'has ended',
      { status: 'completed', finalAnalysis: 'The certificate has expired.', executiveSummary: 'Renew it.' },
      ['ledger', 'quorum certificate', 'renew'],
    ],
    [
      'is a chat',
      { kind: 'chat', alert: null, input: null, title: 'Why is the ledger slow?', finalAnalysis: null },
      ['ledger'],
    ],
  ])(
    'find a session that %s, in title, labels, body and findings, only of its tenant',
    async (_, change, words) => {
      const api = await start();
      const alert = sampleAlert({ title: 'etcd is down', labels: { team: 'ledger' }, summary: null });
      const text = { input: body('{"note": "members lost quorum"}') };
      const one = derived(session(0, { alert, ...text, ...change }));
      await store(api, [one, derived(session(3, { tenantId: 'acme', alert, ...text, ...change }))]);
      for (const q of words) expect((await walk(api, { q })).ids, q).toEqual([one.sessionId]);
      // The frame that agents see around an alert is no part of it.
      for (const q of ['came', 'data', 'zzz']) expect((await walk(api, { q })).ids, q).toEqual([]);
    },
  );

  it('find an investigation from its first moment on, and a chat, but no secret', async () => {
    const api = await startApiBench({
      script: { conversations: [{ turns: [{ text: 'The certificate has expired.' }] }] },
      knownSecrets: ['q7RkT2mZx9Lw4VbN8sYc'],
      chat: {},
    });
    const find = async (q: string) => (await walk(api, { q })).ids;
    const alert = {
      title: 'etcd is down',
      details: { note: 'members lost quorum', key: 'q7RkT2mZx9Lw4VbN8sYc' },
    };
    const sessionId = await api.publishAlert(alert);
    expect(await find('quorum')).toEqual([]);
    await api.deliverNext();
    expect((await api.read(sessionId)).session.status).toBe('in_progress');
    expect(await find('etcd quorum')).toEqual([sessionId]);
    expect(await find('q7RkT2mZx9Lw4VbN8sYc')).toEqual([]);
    expect(await find('certificate')).toEqual([]);
    await api.drain();
    expect(await find('quorum certificate')).toEqual([sessionId]);
    const { body: chat } = await api.ask('/v1/chats', { body: { text: 'Which backups are overdue?' } });
    expect(await find('overdue')).toEqual([chat.sessionId]);
  });

  it('find OOMKilled by OOM, while a session runs, after it failed and after it completed', async () => {
    const api = await start();
    const alert = sampleAlert({ title: 'checkout is down', labels: {}, summary: null });
    const found = (['in_progress', 'failed', 'completed'] as const).map((status, n) =>
      derived(
        session(n, {
          status,
          alert,
          input: body('{"reason": "OOMKilled"}'),
          finalAnalysis: status === 'completed' ? 'Last state: OOMKilled.' : null,
        }),
      ),
    );
    await store(api, found);
    expect((await walk(api, { q: 'OOM' })).ids.sort()).toEqual(found.map(({ sessionId }) => sessionId));
  });

  it('are found by place: workload, namespace or cluster of their alert, and no other word of it', async () => {
    const api = await start();
    const at = (n: number, labels: Record<string, string>) =>
      derived(
        session(n, {
          alert: sampleAlert({ title: 'etcd is down', source: 'alertmanager', labels, summary: 'shop' }),
        }),
      );
    const shop = at(0, { namespace: 'shop', deployment: 'checkout', cluster: 'shop-prod' });
    const bank = at(1, { namespace: 'bank', deployment: 'checkout', cluster: 'bank-prod' });
    const team = at(2, { namespace: 'search', team: 'shop' });
    await store(api, [shop, bank, team]);
    const find = async (place: string) => (await walk(api, { place })).ids.sort();
    expect(await find('shop')).toEqual([shop.sessionId]);
    expect(await find('bank-prod')).toEqual([bank.sessionId]);
    expect(await find('checkout')).toEqual([shop.sessionId, bank.sessionId]);
    expect(await find('prod')).toEqual([]);
    expect((await walk(api, { place: 'checkout', q: 'bank' })).ids).toEqual([bank.sessionId]);
  });

  it('find an investigation that has failed without an analysis', async () => {
    const turns = [{ failures: [{ status: 400 }] }];
    const api = await startApiBench({ script: { conversations: [{ turns }] } });
    const sessionId = await api.publishAlert({ title: 'etcd is down', note: 'members lost quorum' });
    await api.drain();
    expect((await api.read(sessionId)).session).toMatchObject({ status: 'failed', finalAnalysis: null });
    expect((await walk(api, { q: 'quorum' })).ids).toEqual([sessionId]);
  });

  it('find words in the first 8,000 characters of a body, and all other words before', async () => {
    const api = await start();
    const alert = sampleAlert({ title: 'Disk', labels: {}, summary: null });
    const one = derived(
      session(0, {
        alert,
        input: body(`quorum ${'lost '.repeat(1_600)}zebra`),
        finalAnalysis: 'The certificate has expired.',
      }),
    );
    await store(api, [one]);
    for (const [q, isFound] of [
      ['quorum', true],
      ['certificate', true],
      ['zebra', false],
    ] as const)
      expect((await walk(api, { q })).ids, q).toEqual(isFound ? [one.sessionId] : []);
  });

  it('are found in title, labels and analysis, nearly spelled and within longer ones, of all users, not of others', async () => {
    const api = await start();
    const alert = sampleAlert({ title: 'payments-api is in CrashLoopBackOff', labels: { team: 'ledger' } });
    const analysis = `${'It took a while. '.repeat(40)}\n\n**Root cause** the certificate has expired`;
    const one = derived(session(0, { alert, finalAnalysis: analysis, userId: 'anna', status: 'completed' }));
    await store(api, [one, derived(session(3, { tenantId: 'acme', alert, finalAnalysis: analysis }))]);
    for (const [q, isFound] of [
      ['payments', true],
      ['PAYMENTS crashloop', true],
      ['paymnts', true],
      ['loop', true],
      ['ledger', true],
      ['certificate expired', true],
      ['payments database', false],
      ['kat', false],
      ['zzz', false],
    ] as const)
      expect((await walk(api, { q })).ids, q).toEqual(isFound ? [one.sessionId] : []);
  });
});
