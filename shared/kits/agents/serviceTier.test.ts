import { describe, expect, it } from 'vitest';
import { agentOf } from '../../../test/support/harness.ts';
import { flexByDefault, withTier } from './serviceTier.ts';

const google = { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: false };
const tierOf = (agent: object, severity: string | null, isCheck = false) => {
  const { serviceTier, ...rest } = { ...google, ...agent } as typeof google & {
    tiers?: object;
    serviceTier?: 'flex';
  };
  const { tiers, ...model } = rest;
  return withTier(
    agentOf({ model: { ...model, ...(serviceTier && { serviceTier }) }, ...(tiers && { tiers }) }),
    severity,
    isCheck,
  ).model.serviceTier;
};

describe('the service tier of an agent', () => {
  it.each<[string, object, string | null, boolean, string | undefined]>([
    ['none for an alert', {}, 'critical', false, undefined],
    ['flex for an alert of severity info', {}, 'Informational', false, 'flex'],
    ['none for a question', {}, null, false, undefined],
    ['flex for a check', {}, 'warning', true, 'flex'],
    ['that of its model for a check', { serviceTier: 'priority' }, 'warning', true, 'priority'],
    ['its own for a severity', { tiers: { critical: 'priority', any: 'flex' } }, 'P1', false, 'priority'],
    [
      'its own for other severities',
      { tiers: { critical: 'priority', any: 'flex' } },
      'error',
      false,
      'flex',
    ],
    ['its own for an emergency', { tiers: { critical: 'priority' } }, 'emergency', false, 'priority'],
    [
      'its own before that of its model',
      { serviceTier: 'flex', tiers: { any: 'standard' } },
      'info',
      true,
      'standard',
    ],
    [
      'its own for a question, without severities',
      { tiers: { any: 'flex', info: 'standard' } },
      null,
      false,
      'flex',
    ],
    [
      'none for the model of another provider',
      { provider: 'openai', tiers: { any: 'flex' } },
      'info',
      true,
      undefined,
    ],
  ])('is %s', (_, agent, severity, isCheck, tier) => {
    expect(tierOf(agent, severity, isCheck)).toBe(tier);
  });

  it('gives an iteration five minutes where flex is the default, and not where it is set', () => {
    const minute = (tiers: object) =>
      withTier(agentOf({ model: google, ...tiers, limits: { iterationTimeoutMs: 60_000 } }), 'info', false)
        .limits.iterationTimeoutMs;
    expect([minute({}), minute({ tiers: { any: 'flex' } })]).toEqual([300_000, 60_000]);
  });

  it('is flex by default only for models of Google', () => {
    expect(flexByDefault({ ...google, provider: 'openai' }).serviceTier).toBeUndefined();
    expect(flexByDefault(google).serviceTier).toBe('flex');
  });
});
