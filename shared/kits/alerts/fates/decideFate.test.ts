import { expect, it } from 'vitest';
import { fixOfFate } from '../../views/alerts/explainFate.ts';
import { decideFate } from './decideFate.ts';

const at = (file: string, line: number) => ({ file, line });
const PLACES = {
  'rule.dev': at('triage.yaml', 5),
  'system.sessionsPerHour': at('system.yaml', 3),
  'chain.night.settle': at('chains.yaml', 8),
  'chain.night.dailyTokens': at('chains.yaml', 9),
  'system.settle': at('system.yaml', 4),
  'system.budgets': at('system.yaml', 6),
};
const SETTLED = {
  triage: { action: 'investigate', by: 'rule', rule: 'dev', text: 'rule dev wants it' },
  report: { kind: 'firing' },
} as unknown as Parameters<typeof decideFate>[0];
const deferred = (deferral: object) => ({ outcome: 'deferred', sessionId: 's1', alert: null, deferral });
const limits = [{ chain: 'night' }];

type Row = [outcome: string, result: object, by: string, place: string | null, fix: RegExp | null];
const ROWS: Row[] = [
  ['opened', { outcome: 'opened', sessionId: 's1' }, 'rule', 'triage.yaml:5', null],
  ['dropped', { outcome: 'dropped' }, 'rule', 'triage.yaml:5', /rule dev \(triage\.yaml:5\)/],
  ['joined', { outcome: 'attached', sessionId: 's1', report: 'repeated' }, 'incident', null, /fingerprint/],
  [
    'joined',
    { outcome: 'attached', sessionId: 's1', report: 'joined' },
    'rule',
    'triage.yaml:5',
    /remove join/,
  ],
  [
    'deferred',
    deferred({ reason: 'sessions_per_hour', subject: 'sessionsPerHour', text: 'Full.' }),
    'budget',
    'system.yaml:3',
    /raise sessionsPerHour \(system\.yaml:3\)/,
  ],
  [
    'deferred',
    deferred({
      reason: 'daily_tokens',
      subject: 'dailyTokens',
      text: 'In chain night, all are used.',
      budgets: { dailyTokens: limits },
    }),
    'budget',
    'chains.yaml:9',
    /raise dailyTokens \(chains\.yaml:9\)/,
  ],
  [
    'deferred',
    deferred({ reason: 'settling', subject: 'settle', text: 'It waits.' }),
    'settle',
    'system.yaml:4',
    /settle \(system\.yaml:4\)/,
  ],
  [
    'deferred',
    deferred({ reason: 'settling', subject: 'settle', text: 'It waits.', chain: 'night' }),
    'settle',
    'chains.yaml:8',
    /settle \(chains\.yaml:8\)/,
  ],
  [
    'recorded',
    deferred({ reason: 'budget', subject: 'shop', text: 'Used up.' }),
    'budget',
    'system.yaml:6',
    /^Budget shop is used up .* raise its tokens \(system\.yaml:6\)\. To investigate this one: inquest start-deferred s1$/,
  ],
  [
    'recorded',
    deferred({ reason: 'triage', subject: 'dev', text: 'Quiet.' }),
    'rule',
    'triage.yaml:5',
    /rule dev/,
  ],
  [
    'recorded',
    deferred({ reason: 'resolved', subject: 'resolved', text: 'Over.' }),
    'state',
    null,
    /state: resolved/,
  ],
  [
    'recorded',
    deferred({ reason: 'own_alert', subject: 'sweep', text: 'Own.' }),
    'own_alert',
    null,
    /about sweep/,
  ],
];

it.each(ROWS)(
  'an alert that was %s by %j names the deciding rule, its line, and the fix',
  (outcome, result, by, place, fix) => {
    const fate = decideFate(SETTLED, result as unknown as Parameters<typeof decideFate>[1], PLACES);
    if (fate === undefined) throw new Error('no fate');
    const line = fate.place === null ? null : `${fate.place.file}:${fate.place.line}`;
    expect({ outcome: fate.outcome, by: fate.by, line }).toEqual({ outcome, by, line: place });
    const shown = fixOfFate({ ...fate, messageId: 'm-1' });
    if (fix === null) expect(shown).toBeNull();
    else expect(shown).toMatch(fix);
  },
);

it.each([
  ['recorded', 'watchdog', null, /^It always fires and needs no investigation; a rule of triage\.yaml/],
  ['recorded', 'default', null, /^No rule matches it: add a rule with action: investigate, .*triage\.yaml/],
  ['joined', 'merge', 's1', /^To give this one its own session: inquest split s1 m-1$/],
  ['rejected', 'ALERT_INVALID', null, /docs\/errors\.md has the remedy for ALERT_INVALID/],
] as const)('an alert that was %s by %s has the fix for it', (outcome, by, sessionId, fix) => {
  const fate = { outcome, by, subject: null, place: null, sessionId, messageId: 'm-1' };
  expect(fixOfFate(fate)).toMatch(fix);
});
