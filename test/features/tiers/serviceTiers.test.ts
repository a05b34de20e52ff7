// Service tiers of Gemini: the real SDK against the scripted Gemini over HTTP.

import { describe, expect, it } from 'vitest';
import { documentsOfSession } from '../../../shared/features/telemetry/documentsOfSession.ts';
import { buildSpans } from '../../../shared/features/telemetry/spansOf.ts';
import { askQuestion } from '../../../shared/kits/questions/askQuestion.ts';
import { openChat } from '../../../shared/kits/questions/openChat.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import {
  type AgentOptions,
  agentOf,
  type Bench,
  type BenchOptions,
  investigate,
  startBench,
} from '../../support/harness.ts';
import { runCloud } from '../../support/virtualCloud.ts';

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
    /** The tiers of the spans of the attempts. */
    traced: buildSpans(await documentsOfSession(found.sessionId, found.deps.store))
      .filter(({ name }) => name.startsWith('generate_content'))
      .map(({ attributes }) => attributes['inquest.service_tier']),
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
      traced: ['flex'],
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
        traced: ['flex', 'standard'],
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

/** The tier of each request; null without one. */
const tiersIn = ({ gemini }: Bench) =>
  gemini.requests.map(({ body }) => (body as { serviceTier?: string }).serviceTier ?? null);

describe('the service tier of a session', () => {
  const ASK = {
    toolCalls: [{ name: 'ask_agent', args: { agent_name: 'logs', input_text: 'What do the logs show?' } }],
  };
  const DONE = { text: 'The disk.' };
  const CONVERSATIONS = [
    { when: 'You lead.', turns: [ASK, DONE] },
    { when: 'You read logs.', turns: [DONE] },
  ];
  const model = { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true };
  const logs = agentOf({ name: 'logs', model, instructions: 'You read logs.' });

  /** The tiers that an alert's agent and the agent that it asks request, for each request. */
  async function tiersOf(severity: string, agent: AgentOptions = {}, asked: AgentOptions = {}) {
    const bench = await startBench({
      inMemory: true,
      agent: { model, instructions: 'You lead.', tools: ['ask_agent'], asks: [{ name: 'logs' }], ...agent },
      agents: { logs: { ...logs, ...asked } as typeof logs },
      script: { conversations: CONVERSATIONS },
    });
    await bench.publishAlert({ title: 'Disk is full', severity });
    await bench.drain();
    return tiersIn(bench);
  }

  it('is flex for an alert of severity info, also for the agents that are asked; else it is that of the model', async () => {
    expect(await tiersOf('info')).toEqual(['flex', 'flex', 'flex']);
    expect(await tiersOf('warning')).toEqual([null, null, null]);
    expect(await tiersOf('critical', { tiers: { critical: 'priority' } })).toEqual([
      'priority',
      'priority',
      'priority',
    ]);
    expect(await tiersOf('info', { tiers: { any: 'standard' } })).toEqual([
      'standard',
      'standard',
      'standard',
    ]);
  });

  it('is the own one of an agent that is asked, else that of the agent that asks', async () => {
    const critical: AgentOptions = { tiers: { critical: 'priority' } };
    expect(await tiersOf('critical', critical, { tiers: { any: 'flex' } })).toEqual([
      'priority',
      'flex',
      'priority',
    ]);
    expect(await tiersOf('critical', { tiers: { any: 'flex' } }, critical)).toEqual([
      'flex',
      'priority',
      'flex',
    ]);
  });

  it('of an agent that answers a question is the one for all severities, because a person waits', async () => {
    const asked = { ...logs, tiers: { warning: 'priority', any: 'flex' } as const };
    const { config, deps, ...bench } = await startBench({
      inMemory: true,
      agents: { logs: asked },
      chat: { model, instructions: 'You lead.', tools: ['ask_agent'], asks: [{ name: 'logs' }] },
      script: { conversations: CONVERSATIONS },
    });
    await openChat({ text: 'Why?', by: 'ada', tenantId: 'default', userId: 'ada' }, undefined, config, deps);
    await bench.drain();
    expect(tiersIn({ config, deps, ...bench })).toEqual([null, 'flex', null]);
  });

  it('stays flex after a wait for a quota, which is no fact about the tier', async () => {
    const bench = await startBench({
      inMemory: true,
      agent: { model, tiers: { any: 'flex' } },
      modelQuotas: { 'google/gemini-3.8-flash': { rpm: 1 } },
      script: { conversations: [{ turns: [DONE] }] },
    });
    const { store } = bench.deps;
    const ids = [await bench.publishAlert({ title: 'One' }), await bench.publishAlert({ title: 'Two' })];
    await runCloud(bench, async () => {
      const sessions = await Promise.all(ids.map((id) => store.get(paths.session(id), sessionType)));
      return sessions.every((session) => (session?.value.endedAt ?? null) !== null);
    });
    expect(tiersIn(bench)).toEqual(['flex', 'flex']);
    const { timeline } = await bench.read(ids[1] ?? '');
    const codes = timeline.map(({ metadata }) => ('code' in metadata ? metadata.code : undefined));
    expect(codes).toContain('quota_reached');
    expect(codes).not.toContain('tier_changed');
  });

  it('is that of the model for a question about an alert of severity info', async () => {
    const { config, deps, ...bench } = await startBench({
      inMemory: true,
      agent: { model, instructions: 'You lead.' },
      chat: { model, instructions: 'You read logs.' },
      script: {
        conversations: [
          { when: 'You lead.', turns: [DONE] },
          { when: 'You read logs.', turns: [DONE] },
        ],
      },
    });
    const id = await bench.publishAlert({ title: 'Disk is full', severity: 'info' });
    await bench.drain();
    await askQuestion(id, { text: 'And?', by: 'ada', userId: 'ada', config }, deps);
    await bench.drain();
    expect(tiersIn({ config, deps, ...bench })).toEqual(['flex', null]);
  });

  it.each([{ firstChunkTimeoutMs: 5_000 }, { iterationTimeoutMs: 5_000 }])(
    'is standard after a time-out of flex: the next iteration can be answered in time, %j',
    async (limits) => {
      const bench = await startBench({
        inMemory: true,
        agent: { model, tiers: { any: 'flex' }, limits },
        script: { conversations: [{ turns: [{ text: 'Done.', failures: [{ hang: true }] }] }] },
      });
      await bench.publishAlert();
      const working = bench.drain();
      await expect.poll(() => bench.gemini.requests.length).toBe(1);
      bench.deps.clock.advance(5_000);
      await working;
      expect(tiersIn(bench)).toEqual(['flex', 'standard']);
    },
  );
});
