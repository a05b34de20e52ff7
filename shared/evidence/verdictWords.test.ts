import { describe, expect, it } from 'vitest';
import { sampleVerdict } from '../../test/support/samples.ts';
import type { SessionVerdict, VerdictReason } from './schema/verdict.ts';
import { readVerdict } from './verdictWords.ts';

describe('a verdict in words', () => {
  it.each([
    [[], 'Not established. The agent named no cause with evidence, so there was nothing to check.'],
    [
      [{ component: 'k8s:shop/api', mechanism: 'memory' }],
      'Not established. No result speaks of the component that the agent named as the cause.',
    ],
  ])('without a cause that was seen, %j, states which part was missing', (causes, sentence) => {
    const verdict = sampleVerdict('inconclusive', { rule: 'no_cause', causes });
    expect(readVerdict(verdict).sentence).toBe(sentence);
  });

  const AT = new Date('2026-11-17T09:32:00Z');
  const REASON: VerdictReason = {
    object: 'Pod api-1, container app',
    says: 'last state OOMKilled',
    effect: null,
    at: new Date('2026-11-17T09:28:00Z'),
    alertAt: AT,
    by: 'moment',
    siblings: 0,
    why: null,
    shows: null,
  };
  const CAUSE = { component: 'k8s:eu/shop/Deployment/api', mechanism: 'memory' };
  const STATE = 'Pod api-1, container app: last state OOMKilled';
  const MOMENT = `${STATE} at 09:28 UTC, 4 minutes before the alert`;
  const DISPROOF =
    'A healthy sibling shows the same; it was the same long before the alert; or the alert continues after Pod api-1, container app no longer shows it.';
  const NO_STATE = 'A status or metric of the component that shows another mechanism.';

  it.each<
    [SessionVerdict['value'], string, Partial<SessionVerdict>, Partial<VerdictReason> | null, string, string]
  >([
    ['confirmed', 'contrasted', {}, {}, `Confirmed. ${MOMENT}.`, DISPROOF],
    ['confirmed', 'contrasted', { caps: ['no_time'] }, {}, `Confirmed. ${MOMENT}.`, DISPROOF],
    [
      'confirmed',
      'contrasted',
      { isRecovered: true },
      { at: new Date('2026-11-17T09:33:00Z'), by: 'series' },
      `Confirmed. ${STATE} at 09:33 UTC, 1 minute after the alert; earlier samples do not show it. The alert's condition is not true any more.`,
      DISPROOF,
    ],
    [
      'confirmed',
      'change',
      {
        open: [
          { code: 'upstream', subject: 'dependency_down' },
          { code: 'server', subject: 'logs' },
          { code: 'upstream', subject: 'load' },
        ],
      },
      { at: AT, by: 'sibling', siblings: 1, effect: 'Pod api-2: not ready' },
      `Confirmed. ${STATE} at 09:32 UTC, as the alert began; then Pod api-2: not ready; 1 healthy sibling does not show it. Why is open: dependency down, load.`,
      DISPROOF,
    ],
    [
      'confirmed',
      'contrasted',
      {},
      { at: null, by: 'sibling', siblings: 2 },
      `Confirmed. ${STATE}; 2 healthy siblings do not show it.`,
      DISPROOF,
    ],
    [
      'confirmed',
      'contrasted',
      {},
      { at: null, by: 'earlier' },
      `Confirmed. ${STATE}; an equally long time before does not show it.`,
      DISPROOF,
    ],
    [
      'likely',
      'state',
      { caps: ['server_missing', 'of_a_later_version'] },
      { at: null, by: null, why: 'no_sibling' },
      `Likely. ${STATE}. No healthy sibling exists and nothing was recorded before. A server of the evidence was missing at the end.`,
      DISPROOF,
    ],
    [
      'likely',
      'texts',
      {},
      null,
      'Likely. Two texts of different tools and writers state it; no status or metric shows it.',
      NO_STATE,
    ],
    ['confirmed', 'contrasted', { causes: [] }, {}, `Confirmed. ${MOMENT}.`, ''],
    ['likely', 'state', { table: 1 }, null, 'Likely. memory of api (shop, eu).', NO_STATE],
    [
      'likely',
      'state',
      { causes: [{ component: null, mechanism: 'load' }, CAUSE] },
      null,
      'Likely. memory of api (shop, eu).',
      NO_STATE,
    ],
    [
      'inconclusive',
      'contradicted',
      {},
      { shows: 'dependency_down' },
      `Not established. ${MOMENT}: this speaks of dependency down, the conclusion names memory.`,
      '',
    ],
    [
      'inconclusive',
      'contradicted',
      { causes: [{ ...CAUSE, mechanism: null }] },
      { shows: 'load' },
      `Not established. ${MOMENT}: this speaks of load, the conclusion names another cause.`,
      '',
    ],
    [
      'inconclusive',
      'contradicted',
      {},
      {},
      'Not established. A result contradicts the named cause, or shows a second one.',
      '',
    ],
    [
      'inconclusive',
      'unsupported',
      { caps: ['no_time'] },
      { shows: 'disk_full' },
      'Not established. The evidence quoted shows disk full, the conclusion names memory.',
      '',
    ],
    ['inconclusive', 'state', {}, { shows: 'load' }, `Not established. ${MOMENT}.`, ''],
    [
      'not_an_incident',
      'never_true',
      { causes: [] },
      null,
      "Not an incident. The alert's own condition was false in every sample from five minutes before the alert until the check.",
      "A sample in which the alert's condition is true.",
    ],
    [
      'blocked',
      'blocked',
      {},
      null,
      'Could not be checked. At least half of the calls had no answer, and nothing that was read supports a cause.',
      '',
    ],
  ])('%s by %s with %j and %j', (value, rule, changes, reason, sentence, disproof) => {
    const verdict = sampleVerdict(value, {
      rule,
      causes: [CAUSE],
      reason: reason && { ...REASON, ...reason },
      ...changes,
    });
    const read = readVerdict(verdict);
    expect([read.sentence, read.disproof]).toEqual([sentence, disproof]);
  });

  it('without a check has its reason', () => {
    const verdict = sampleVerdict(null, { rule: 'not_checked', caps: ['claims_failed'] });
    expect(readVerdict(verdict).sentence).toBe('Not checked. The check of its claims failed.');
  });

  it('names unseen facts as statements, not as questions', () => {
    const open = [
      { code: 'upstream', subject: 'dependency_down' },
      { code: 'server', subject: 'prometheus' },
      { code: 'contrast', subject: 'kubernetes.pods_get of api-2' },
    ];
    expect(readVerdict(sampleVerdict('likely', { open })).questions).toEqual([
      'Why it came about. The results also show dependency down.',
      'The server prometheus: it was missing at the end.',
      'The comparison kubernetes.pods_get of api-2: the call did not answer.',
    ]);
  });
});
