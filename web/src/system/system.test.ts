import { describe, expect, it } from 'vitest';
import type { Configuration, SessionRow, SystemActivity } from '../../../shared/lists/apiTypes.ts';
import { limitTexts, quotaTexts, rightsText, serverRows } from './serverRows.ts';
import { waitingSessions } from './waitingSessions.ts';

const at = '2026-11-24T18:00:00Z';
const READS = { access: 'read', readOnly: ['get_*', 'list_*'], trustHints: false, approvals: [] } as const;
const NONE = { agents: ['reviewer'], lastAnswer: null, tools: [], listedAt: null };
const answer = { sessionId: 'one', at, durationMs: 140, tool: null, eventId: null };
const activity = {
  servers: [
    { ...NONE, ...READS, name: 'kubernetes', lastAnswer: { ...answer, outcome: 'answered' } },
    { ...NONE, ...READS, name: 'prometheus', lastAnswer: { ...answer, outcome: 'unreachable' } },
    {
      ...NONE,
      name: '<b>tickets</b>',
      access: 'write',
      readOnly: ['find'],
      trustHints: true,
      approvals: [
        { tool: 'create', approval: 'required' },
        { tool: 'note_*', approval: 'none' },
      ],
    },
  ],
  questions: [],
  sessions: 20,
  since: at,
  now: at,
} as unknown as SystemActivity;
const unlimited = {
  limits: { concurrency: null, perMinute: null, bytesPerHour: null },
  use: { running: null, calls: null, bytes: null },
};
const servers: Configuration['servers'] = [
  {
    ...{ name: 'kubernetes', transport: 'http', instances: ['shop-prod', 'shop-test'] },
    limits: { concurrency: 5, perMinute: 60, bytesPerHour: 500_000_000 },
    use: { running: 1, calls: 12, bytes: 2_400_000 },
  },
  ...['prometheus', '<b>tickets</b>', 'spare'].map((name) => ({
    ...{ name, transport: 'stdio' as const, instances: [], ...unlimited },
  })),
];
const model = { provider: 'google', model: 'gemini-3.8-flash', isDefault: false, outage: null };
const models: Configuration['models'] = [
  {
    ...{ ...model, name: 'flash', limits: { rpm: 1_000, tpm: 4_000_000 } },
    use: { usedPercent: 42, isSlowed: true },
  },
  ...['pro', 'small'].map((name) => ({ ...model, name, limits: { rpm: null, tpm: null }, use: null })),
];

describe('the servers of the page', () => {
  it('have a state of running agents, else of the last answer; faults come first', () => {
    const shown = (agents: number) => {
      const health = {
        servers: [{ name: 'kubernetes', agents }],
        models: [],
        lateSweep: null,
        lateCanary: null,
      };
      const rows = serverRows(activity, agents === 0 ? undefined : health, servers);
      return rows.map(({ name, state }) => `${name}: ${state.word}`);
    };
    expect(shown(0)).toEqual([
      'prometheus: Could not be reached',
      '<b>tickets</b>: Not called',
      'kubernetes: Answered',
      'spare: Not used by any agent',
    ]);
    expect(shown(2)[0]).toBe('kubernetes: Away: 2 agents cannot reach it');
  });

  it.each([
    ['answered', 'Answered ok'],
    ['error', 'Answered with an error late'],
    ['unanswered', 'Did not answer in time fail'],
    ['unknown', 'Call was interrupted late'],
  ])('have a state after a call that %s', (outcome, text) => {
    const [server] = activity.servers;
    const one = { ...server, lastAnswer: { ...answer, outcome } };
    const rows = serverRows({ servers: [one] } as unknown as SystemActivity, undefined, []);
    expect(rows.map(({ state }) => `${state.word} ${state.tone}`)).toEqual([text]);
  });

  it('are in the order of their faults, then of their names, each with its configuration', () => {
    const of = (name: string, outcome: string) => ({
      ...activity.servers[0],
      name,
      lastAnswer: { ...answer, outcome },
    });
    const some = [
      of('d', 'answered'),
      of('c', 'error'),
      of('b', 'unanswered'),
      of('a', 'answered'),
      of('e', 'error'),
    ];
    const configured = [
      { ...servers[0], name: 'z' },
      { ...servers[0], name: 'a' },
    ] as Configuration['servers'];
    const rows = serverRows({ servers: some } as unknown as SystemActivity, undefined, configured);
    expect(rows.map(({ name, configured: own }) => `${name} ${own?.name}`)).toEqual([
      'b undefined',
      'c undefined',
      'e undefined',
      'a a',
      'd undefined',
      'z z',
    ]);
    const { name: _, state: __, configured: ___, ...rest } = rows[5] ?? {};
    expect(rest).toEqual({
      ...{ agents: [], access: null, readOnly: [], trustHints: false, approvals: [] },
      ...{ lastAnswer: null, tools: [], listedAt: null },
    });
  });

  it.each([
    [{ access: null }, ''],
    [{ readOnly: [] }, 'Reads: no tool'],
    [{ readOnly: [], trustHints: true }, 'Reads: tools that the server marks as read-only'],
    [{ trustHints: true }, 'Reads: get_*, list_* and those that the server marks as read-only'],
    [{ access: 'write' }, 'Reads: get_*, list_*. Changes: nothing'],
  ])('have rights: %j', (changes, text) => {
    const [server] = activity.servers;
    expect(rightsText({ ...server, ...changes } as SystemActivity['servers'][number])).toBe(text);
  });

  it('have limits of which nothing is used yet', () => {
    const [server] = servers;
    const [flash] = models;
    if (server === undefined || flash === undefined) throw new Error('nothing is configured');
    const unused = { ...server, use: { running: null, calls: null, bytes: null } };
    expect(limitTexts(unused)).toEqual([
      '0 of 5 calls at a time',
      '0 of 60 calls this minute',
      '0 B of 500.0 MB this hour',
    ]);
    expect(quotaTexts({ ...flash, use: null })).toEqual([
      '0 % of 1,000 requests and 4,000,000 tokens this minute',
    ]);
  });

  it('have no part of the configuration for people who are not operators', () => {
    const rows = serverRows(activity, undefined, []);
    expect(rows.map(({ configured }) => configured)).toEqual([undefined, undefined, undefined]);
  });

  it('state rights, limits and quotas in words', () => {
    expect(activity.servers.map(rightsText)).toEqual([
      'Reads: get_*, list_*',
      'Reads: get_*, list_*',
      'Reads: find and those that the server marks as read-only. Changes: create (after approval), note_* (without approval)',
    ]);
    expect(servers.map(limitTexts)).toEqual([
      ['1 of 5 calls at a time', '12 of 60 calls this minute', '2.4 MB of 500.0 MB this hour'],
      [],
      [],
      [],
    ]);
    expect(models.map(quotaTexts)).toEqual([
      ['42 % of 1,000 requests and 4,000,000 tokens this minute'],
      [],
      [],
    ]);
  });
});

it('sessions wait for the person who claimed them, and for anyone while their problem fires or they run', () => {
  const row = (sessionId: string, change: Partial<SessionRow>) =>
    ({ sessionId, kind: 'investigation', status: 'completed', problem: null, ...change }) as SessionRow;
  const firing = { status: 'firing' as const, at: null, repeats: 0 };
  const rows = [
    row('mine', {}),
    row('hers', { status: 'in_progress' }),
    row('solved', { problem: firing }),
    row('runs', { status: 'in_progress' }),
    row('fires', { problem: firing }),
    row('deferred', { status: 'deferred' }),
    row('recorded', { status: 'deferred', problem: firing }),
    row('over', { problem: { ...firing, status: 'resolved' } }),
    row('chat', { kind: 'chat', status: 'in_progress' }),
    row('check', { kind: 'check', status: 'in_progress' }),
  ];
  const work = [
    { sessionId: 'mine', claimedBy: 'kim', resolvedBy: null },
    { sessionId: 'hers', claimedBy: 'ada', resolvedBy: null },
    { sessionId: 'solved', claimedBy: null, resolvedBy: 'ada' },
  ];
  const ids = (reader?: string) => {
    const { mine, free } = waitingSessions(rows, work, reader);
    return [mine, free].map((some) => some.map(({ sessionId }) => sessionId));
  };
  expect(ids('kim')).toEqual([['mine'], ['runs', 'fires', 'recorded']]);
  expect(ids()).toEqual([[], ['runs', 'fires', 'recorded']]);
});
