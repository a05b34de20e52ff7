// The filters of the list: in the address, for the API, and for rows that the stream added.

import { describe, expect, it } from 'vitest';
import {
  composeListAddress,
  composeListQuery,
  filterText,
  findInvalidFilters,
  fitsFilters,
  type ListRow,
  listRow,
  parametersAt,
  readFilters,
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
  });
  it.each([
    ['since', '7d', 'Last 7 days'],
    ['until', '2026-11-24T00:00:00.000Z', /^2\d Nov \d\d:00/],
    ['show', 'waits', 'Needs approval'],
    ['outcome', 'timed_out', 'timed out'],
    ['q', 'OOM', 'OOM'],
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
    [{ agents: [agent('a'), agent('b')] }, '2 agents run: a, b.'],
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
