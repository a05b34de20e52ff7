// The filters of the list: in the address, for the API, and for rows that the stream added.

import { describe, expect, it } from 'vitest';
import type { Approval } from '../../../shared/lists/apiTypes.ts';
import {
  byNeed,
  composeListAddress,
  composeListQuery,
  filterText,
  findInvalidFilters,
  fitsFilters,
  foldRepeats,
  isShown,
  type ListRow,
  listRow,
  parametersAt,
  readFilters,
  type SessionState,
} from './rows.ts';

const NOW = Date.parse('2026-11-24T12:00:00.000Z');
const row = (change: Partial<ListRow> = {}) =>
  ({
    sessionId: 'a',
    title: 'etcd is down',
    finding: '',
    source: 'json',
    severity: 'P1',
    chain: 'default',
    status: 'completed',
    shown: 'completed',
    createdAt: '2026-11-24T10:00:00.000Z',
    place: { workload: 'etcd', namespace: 'kube-system', cluster: 'prod', project: null },
    ...change,
  }) as ListRow;
const isListed = (query: Record<string, string>, change: Partial<ListRow> = {}) =>
  fitsFilters(row(change), readFilters(query), new Set(), NOW);

describe('the filters of the list', () => {
  it('are read from the address and written to it', () => {
    const query = { show: 'failed', place: 'prod', since: '7d', q: 'a b' };
    expect(composeListAddress(readFilters(query))).toBe('/?show=failed&place=prod&since=7d&q=a+b');
    expect(composeListAddress(readFilters({ since: 'yesterday', until: 'x', unknown: 'y' }))).toBe('/');
    expect(composeListAddress(readFilters({ since: 'constructor', until: '' }))).toBe('/');
    expect(composeListAddress(readFilters({ since: '24h', until: '2026-11-24' }))).toBe('/?since=24h');
    expect(readFilters({ until: '2026-11-24' }).until).toBe('2026-11-24T00:00:00.000Z');
  });
  it('name invalid values of an address, which are not used', () => {
    const query = { since: '1d', until: '31.12.', show: '__proto__', outcome: 'ok', q: '%', place: 'x' };
    const names = findInvalidFilters(query).map(({ name, value, values }) => `${name} ${value}: ${values}`);
    expect(names).toEqual([
      'show __proto__: waits, running, failed, chats or checks',
      'outcome ok: completed, failed, timed_out, cancelled, deferred',
      'since 1d: 1h, 24h, 7d, 30d, or a date such as 2026-11-24',
      'until 31.12.: a date such as 2026-11-24',
    ]);
    expect(composeListAddress(readFilters(query))).toBe('/?place=x&q=%25');
    expect(
      findInvalidFilters({ since: '24h', until: '2026-11-24', show: 'failed', outcome: 'failed' }),
    ).toEqual([]);
    expect(findInvalidFilters({ show: '', outcome: '', since: '' })).toEqual([]);
  });
  it.each([
    ['since', '7d', 'Last 7 days'],
    ['until', '2026-11-24T00:00:00.000Z', /^2\d Nov \d\d:00/],
    ['show', 'waits', 'Needs approval'],
    ['since', '2026-11-24T00:00:00.000Z', /^2\d Nov \d\d:00/],
    ['show', 'nothing', 'nothing'],
    ['severity', 'P1', 'p1'],
    ['outcome', 'timed_out', 'timed out'],
    ['q', 'OOM_Killed', 'OOM_Killed'],
  ] as const)('are named for people: %s %s', (name, value, text) => {
    expect(filterText(name, value)).toMatch(text);
  });
  it('go to the API with the start of the range at that time', () => {
    const query = composeListQuery(
      readFilters({ since: '24h', outcome: 'timed_out', place: 'prod', show: 'failed' }),
    );
    expect(query).toBe('kind=investigation&status=timed_out&since=24h&place=prod');
    const parameters = { kind: 'investigation', status: 'timed_out', since: '2026-11-23T12:00:00.000Z' };
    expect(parametersAt(query, NOW)).toEqual({ ...parameters, place: 'prod' });
    expect(parametersAt('', NOW)).toEqual({});
    expect(parametersAt('since=2026-11-01', NOW)).toEqual({ since: '2026-11-01' });
  });
  it('go to the API without words that it refuses, and as long as it takes', () => {
    const filters = { ...readFilters({}), show: 'unknown', source: 'json', severity: 'P1', chain: 'default' };
    const until = '2026-11-24T00:00:00.000Z';
    expect(composeListQuery({ ...filters, until, place: '%', q: '--' })).toBe(
      `until=${encodeURIComponent(until)}&source=json&severity=P1&chain=default`,
    );
    const long = 'x'.repeat(300);
    const query = new URLSearchParams(composeListQuery({ ...filters, place: long, q: ` ${long}` }));
    expect(['place', 'q'].map((name) => query.get(name)?.length)).toEqual([200, 200]);
    expect(query.get('q')).toBe(long.slice(0, 200));
  });
  it.each([
    ['', 'kind=investigation'],
    ['waits', 'status=in_progress%2Ccancelling'],
    ['running', 'kind=investigation&status=in_progress%2Ccancelling'],
    ['failed', 'kind=investigation&status=failed%2Ctimed_out'],
    ['chats', 'kind=chat'],
    ['checks', 'kind=check'],
  ])('have a tab that is searched over all pages: %s', (show, query) => {
    expect(composeListQuery(readFilters({ show }))).toBe(query);
  });
  it('hold for rows: time, place and outcome', () => {
    expect(isListed({ since: '24h' })).toBe(true);
    expect(isListed({ since: '1h' })).toBe(false);
    expect(isListed({ since: '2026-11-24T09:00:00Z', until: '2026-11-24T09:30:00Z' })).toBe(false);
    expect(isListed({ place: 'prod' })).toBe(true);
    expect(isListed({ place: 'pro' })).toBe(false);
    expect(isListed({ place: 'prod' }, { place: null })).toBe(false);
    expect(isListed({ outcome: 'failed' })).toBe(false);
    expect(isListed({ show: '__proto__' })).toBe(true);
  });
  it.each<[string, Partial<Record<string, string>>, boolean]>([
    ['its source', { source: 'json' }, true],
    ['another source', { source: 'grafana' }, false],
    ['its severity in other letters', { severity: 'p1' }, true],
    ['another severity', { severity: 'P2' }, false],
    ['its chain', { chain: 'default' }, true],
    ['another chain', { chain: 'fast' }, false],
    ['its outcome', { outcome: 'completed' }, true],
    ['its start as the first moment', { since: '2026-11-24T10:00:00Z' }, true],
    ['a later first moment', { since: '2026-11-24T10:00:01Z' }, false],
    ['its start as the last moment', { until: '2026-11-24T10:00:00Z' }, true],
    ['words of its title', { q: ' ETCD is' }, true],
    ['words of its chain', { q: 'default' }, true],
    ['other words', { q: 'dns' }, false],
    ['another tab', { show: 'failed' }, false],
    ['a severity of a row without', { severity: 'P3' }, false],
  ])('hold for rows: %s', (_, query, fits) => {
    expect(isListed(query as Record<string, string>)).toBe(fits);
  });
  it('hold for a row without a severity', () => {
    expect(isListed({ severity: 'P1' }, { severity: null })).toBe(false);
  });
  it('hold for what the API found by words that the row does not have', () => {
    const filters = readFilters({ q: 'dns' });
    expect(fitsFilters(row(), filters, new Set(['a']), NOW)).toBe(true);
    expect(fitsFilters(row(), { ...filters, chain: 'fast' }, new Set(['a']), NOW)).toBe(false);
  });
  it.each<[string, Partial<ListRow>, string]>([
    ['a session', {}, ' '],
    ['one that runs', { shown: 'in_progress' }, ' running'],
    ['one that is cancelled', { shown: 'cancelling' }, ' running'],
    ['one that is paused', { shown: 'paused' }, ' running'],
    ['one that waits', { shown: 'waits' }, ' waits'],
    ['one that failed', { shown: 'failed' }, ' failed'],
    ['one that timed out', { shown: 'timed_out' }, ' failed'],
    ['a chat', { kind: 'chat' }, 'chats'],
    ['a chat that runs', { kind: 'chat', shown: 'in_progress' }, 'chats'],
    ['a chat that failed', { kind: 'chat', shown: 'failed' }, 'chats'],
    ['a chat that waits', { kind: 'chat', shown: 'waits' }, ' waits chats'],
    ['a check', { kind: 'check' }, 'checks'],
    ['one without a status', { shown: null }, ' '],
  ])('have tabs for each kind of session: %s', (_, change, tabs) => {
    const names = ['', 'waits', 'running', 'failed', 'chats', 'checks'];
    expect(names.filter((show) => isShown(row(change), show)).join(' ')).toBe(tabs.trimEnd());
  });
});

describe('rows', () => {
  const approval = { sessionId: 'a', agentName: 'logs', toolName: 'k.restart' } as Approval;
  const shown = (change: object, state?: Partial<SessionState>, approvals: Approval[] = []) =>
    listRow(row(change), state && ({ sessionId: 'a', ...state } as SessionState), approvals);
  const paused = { status: 'in_progress', paused: { by: 'kim', at: '' } };
  it.each([
    ['a status of the stream', shown({ status: 'in_progress' }, { status: 'failed' }), 'failed', ''],
    [
      'an approval',
      shown({ status: 'in_progress' }, undefined, [approval]),
      'waits',
      'logs requests to run restart.',
    ],
    ['the approval of another', shown({ sessionId: 'b' }, undefined, [approval]), 'completed', ''],
    ['an approval that came too late', shown({ status: 'failed' }, undefined, [approval]), 'failed', ''],
    ['a pause', shown({ status: 'in_progress' }, paused), 'paused', 'Paused by kim.'],
    ['a pause that is over', shown({ status: 'in_progress' }, { ...paused, status: 'failed' }), 'failed', ''],
    ['limits', shown({ caveats: ['MAX_ITERATIONS'] }), 'limited', ''],
    ['limits of one that failed', shown({ caveats: ['MAX_ITERATIONS'], status: 'failed' }), 'failed', ''],
    ['a failure', shown({ failure: { code: 'X', message: 'why' } }), 'completed', 'X: why'],
    ['a summary', shown({ executiveSummary: 'all', analysisStart: 'a' }), 'completed', 'all'],
    [
      'a summary of the stream',
      shown({}, { status: 'completed', executiveSummary: 'new' }),
      'completed',
      'new',
    ],
    ['a deferral', shown({ status: 'deferred' }), 'deferred', 'Deferred: not investigated yet.'],
  ])('show status and finding: %s', (_, made, status, finding) => {
    expect([made.shown, made.finding]).toEqual([status, finding]);
  });
  it('have the limits of a completed session, and the end that the stream names', () => {
    expect(shown({ caveats: ['A'] }).limits).toEqual(['A']);
    expect(shown({ caveats: ['A'], status: 'failed' }).limits).toEqual([]);
    const ends = [
      shown({ endedAt: '1' }, { status: 'completed', endedAt: '2' }),
      shown({ endedAt: '1' }),
      shown({}),
    ];
    expect(ends.map(({ endedAt }) => endedAt)).toEqual(['2', '1', null]);
  });
  it('are in the order of need, and of time', () => {
    const rows = [
      row({ sessionId: 'old', createdAt: '1' }),
      row({ sessionId: 'new', createdAt: '2' }),
      row({ sessionId: 'none', createdAt: null, shown: null }),
      row({ sessionId: 'runs', shown: 'in_progress', createdAt: '1' }),
      row({ sessionId: 'paused', shown: 'paused', createdAt: '2' }),
      row({ sessionId: 'waits', shown: 'waits', createdAt: '0' }),
    ];
    const order = rows.toSorted(byNeed).map(({ sessionId }) => sessionId);
    expect(order.join(' ')).toBe('waits paused runs new old none');
  });
  it('fold earlier sessions of the same alert that ended', () => {
    const ids = (rows: ListRow[]) =>
      foldRepeats(rows).map(({ sessionId, earlier }) => [sessionId, ...earlier.map((one) => one.sessionId)]);
    const rows = [
      row({ sessionId: '1' }),
      row({ sessionId: '2' }),
      row({ sessionId: '3', status: 'in_progress' }),
      row({ sessionId: '4' }),
      row({ sessionId: '5', kind: 'chat' }),
      row({ sessionId: '6', title: 'other' }),
      row({ sessionId: '7', source: null }),
      row({ sessionId: '8', source: null }),
    ];
    expect(ids(rows)).toEqual([['1', '2', '4'], ['3'], ['5'], ['6'], ['7'], ['8']]);
  });
});

describe('the second line of a row', () => {
  const agent = (agentName: string, change = {}) => ({
    agentName,
    status: 'active',
    iteration: 3,
    outageCode: null,
    ...change,
  });
  const away = agent('logs', { outageCode: 'MODEL_UNAVAILABLE' });
  it.each([
    [{ agents: [agent('logs')] }, 'logs runs (iteration 3).'],
    [{ agents: [agent('logs', { status: 'pending' })] }, 'logs waits for a function.'],
    [{ agents: [agent('a'), agent('lead', { status: 'waiting' })] }, 'a runs (iteration 3).'],
    [{ agents: [agent('logs', { status: 'waiting' })] }, 'logs waits for its calls (iteration 3).'],
    [{ agents: [agent('a'), agent('b')] }, '2 agents run: a, b.'],
    [{ agents: [agent('a'), agent('b'), agent('c')] }, '3 agents run: a, b, c.'],
    [{ agents: ['a', 'b', 'c', 'd'].map((name) => agent(name)) }, '4 agents run: a, b, c and 1 more.'],
    [{}, 'Waiting for a function.'],
    [{ status: 'completed', agents: [agent('logs')] }, ''],
    [{ agents: [agent('a'), away] }, 'logs waits for its model (MODEL_UNAVAILABLE).'],
    [{ agents: [agent('logs', { outageCode: 'QUOTA_REACHED' })] }, 'logs waits for a quota.'],
    [{ agents: [] }, 'Waiting for a function.'],
    [{ status: 'completed', agents: [], analysisStart: 'The disk is full.' }, 'The disk is full.'],
  ])(
    'names the activity of a running session, and the finding of one without a summary: %j',
    (change, text) => {
      expect(listRow(row({ status: 'in_progress', ...change }), undefined, []).finding).toBe(text);
    },
  );
});
