// Service tiers of Gemini: the real SDK against the scripted Gemini over HTTP.

import { describe, expect, it } from 'vitest';
import { type BenchOptions, investigate } from '../support/harness.ts';

const PRICES = [
  { from: '2026-01-01', input: 100_000, cached: 0, output: 0, tiers: { flex: 0.5, priority: 1.8 } },
];
type Turn = BenchOptions['script']['conversations'][number]['turns'][number];

/** An investigation with one answer. */
async function ask(serviceTier: 'standard' | 'flex' | 'priority' | undefined, failures?: Turn['failures']) {
  const found = await investigate({
    inMemory: true,
    agent: {
      model: {
        provider: 'google',
        model: 'gemini-3.8-flash',
        includeThoughts: true,
        prices: PRICES,
        ...(serviceTier && { serviceTier }),
      },
    },
    script: { conversations: [{ turns: [{ text: 'The disk.', ...(failures && { failures }) }] }] },
  });
  const [interaction] = found.interactions;
  const tokens = interaction?.tokens?.input ?? 0;
  return {
    asked: found.gemini.requests.map(({ body }) => (body as { serviceTier?: string }).serviceTier),
    iteration: found.execution.iteration,
    answered: interaction?.serviceTier,
    /** The price of a token, as a multiple of the standard one. */
    factor: (interaction?.costUsd ?? 0) / (tokens * 0.1),
    notices: found.timeline.flatMap((event) =>
      event.eventType === 'notice' && event.metadata.code === 'tier_changed' ? [event.content] : [],
    ),
    status: found.session.status,
  };
}

describe('the service tier of a model', () => {
  it('is sent, and its price is paid', async () => {
    expect(await ask('flex')).toEqual({
      asked: ['flex'],
      iteration: 1,
      answered: 'flex',
      factor: expect.closeTo(0.5),
      notices: [],
      status: 'completed',
    });
    expect(await ask('priority')).toMatchObject({ asked: ['priority'], factor: expect.closeTo(1.8) });
    expect(await ask(undefined)).toMatchObject({
      asked: [undefined],
      answered: null,
      factor: expect.closeTo(1),
    });
  });

  it.each([429, 503])(
    'falls back from flex to standard in the same iteration after HTTP %s',
    async (status) => {
      expect(await ask('flex', [{ status }])).toEqual({
        asked: ['flex', 'standard'],
        iteration: 1,
        answered: 'standard',
        factor: expect.closeTo(1),
        notices: [
          'gemini-3.8-flash did not answer at the service tier flex; the tier standard did, at its price.',
        ],
        status: 'completed',
      });
    },
  );

  it('falls back once: afterwards the standard tier is retried as usual', async () => {
    const { asked } = await ask('flex', [{ status: 503 }, { status: 503 }]);
    expect(asked).toEqual(['flex', 'standard', 'standard']);
  });
});
