// No function runs while a model thinks: the engine of iterations in virtual time.

import { describe, expect, it, vi } from 'vitest';
import { answer } from '../../../shared/core/contract/llm.fixture.ts';
import type { LlmResponse } from '../../../shared/core/contract/llm.ts';
import { publishIteration } from '../../../shared/core/kernel/state/nextIteration.ts';
import { callTokens } from '../../../shared/core/kernel/tokens/estimateTokens.ts';
import { cancelSession } from '../../../shared/core/session/cancelSession.ts';
import { removeThoughts } from '../../../shared/features/interactions/removeThoughts.ts';
import { takeWebhook } from '../../../shared/features/interactions/takeWebhook.ts';
import { thoughtType } from '../../../shared/features/interactions/thought.ts';
import { addGuidance } from '../../../shared/kits/steering/addGuidance.ts';
import { pauseSession } from '../../../shared/kits/steering/pauseSession.ts';
import { paths, usageType } from '../../../shared/lists/documents.ts';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../../support/expectations.ts';
import { agentOf, type Bench, type BenchOptions, startBench } from '../../support/harness.ts';
import { runCloud } from '../../support/virtualCloud.ts';
import { type Asked, type FakeBackground, fakeBackground } from './background.fixture.ts';

const MINUTE = 60_000;
const MODEL = {
  provider: 'google',
  model: 'gemini-3.8-flash',
  includeThoughts: true,
  api: 'interactions',
  wait: 'background',
} as const;
const USAGE = { input: 40, output: 7, thinking: 3, cached: 0, total: 50 };
const CALL: LlmResponse = answer({
  toolCalls: [{ callId: 'a', name: 'fixture.echo', arguments: '{"text":"hi"}' }],
  blocks: [{ blockType: 'tool_use', toolUseId: 'a', toolName: 'fixture.echo', input: '{"text":"hi"}' }],
  usage: USAGE,
});
const DONE: LlmResponse = answer({
  text: 'Done.',
  blocks: [{ blockType: 'text', textContent: 'Done.' }],
  usage: USAGE,
});

interface Setup {
  bench: Bench;
  background: FakeBackground;
  sessionId: string;
  /** Number of deliveries so far, and of those after which no lease was free. */
  run(): Promise<Awaited<ReturnType<Bench['read']>>>;
}

/** A session whose model answers `responses` in turn. `webhook`: delays of its webhooks; empty for none. */
async function start(
  responses: readonly LlmResponse[],
  {
    thinkMs = 30_000,
    webhook = [1_000],
    ...options
  }: Partial<BenchOptions> & { thinkMs?: number; webhook?: readonly number[] } = {},
): Promise<Setup> {
  const script = { conversations: [{ turns: [] }] };
  const agent = { tools: ['fixture'], ...options.agent, model: MODEL };
  const bench = await startBench({ script, inMemory: true, deadlineMs: 120 * MINUTE, ...options, agent });
  const now = () => bench.deps.clock.now().getTime();
  const due: { at: number; asked: Asked }[] = [];
  const background = fakeBackground(
    now,
    thinkMs,
    ({ iteration }) => responses[Math.min(iteration, responses.length) - 1] ?? DONE,
    (asked) => due.push(...webhook.map((delay) => ({ at: asked.endsAt + delay, asked }))),
  );
  bench.deps.background = background;
  // Webhooks arrive between two messages: the clock of the bench moves to them.
  bench.deps.clock.every(1_000, () => {
    for (const one of due.filter(({ at }) => at <= now())) {
      due.splice(due.indexOf(one), 1);
      const { id: interactionId, submission } = one.asked;
      void takeWebhook({ interactionId, metadata: { ...submission } }, bench.deps);
    }
  });
  const sessionId = await bench.publishAlert();
  const sweep = removeThoughts(background);
  const run = async () => {
    await runCloud(bench, async () => {
      await sweep.run(bench.deps);
      const { session } = await bench.read(sessionId).catch(() => ({ session: undefined }));
      return session !== undefined && session.endedAt !== null;
    });
    return bench.read(sessionId);
  };
  return { bench, background, sessionId, run };
}

const thoughts = ({ deps }: Bench) =>
  deps.store.list({ collection: thoughtType.paths.thoughts }, thoughtType);
/** Delivers messages until the question of an iteration is sent, at most `most`. */
async function untilAsked({ bench, background }: Setup, count = 1, most = 12) {
  for (let step = 0; background.asked.length < count && step < most; step++) await bench.deliverNext();
}
const waitsFor = async ({ bench, sessionId }: Setup) => (await bench.read(sessionId)).execution;

describe('an investigation in the background', () => {
  it('asks once for each answer, and has the events and messages of any other', async () => {
    const setup = await start([CALL, DONE]);
    const found = await setup.run();
    expect(found.session).toMatchObject({ status: 'completed', finalAnalysis: 'Done.' });
    expect(listEventTypes(found)).toEqual(['llm_tool_call', 'tool_result', 'final_analysis']);
    expect(listErrorCodes(found)).toEqual([]);
    expectNoGaps(found);
    expect(setup.background.asked).toMatchObject([
      { submission: { iteration: 1 }, reads: 1 },
      { submission: { iteration: 2 }, reads: 1 },
    ]);
    expect(found.execution.tokens.total).toBe(100);
    expect(found.execution.waits.map(({ kind }) => kind)).toEqual(['thought', 'thought']);
  });

  it('holds no lease while the model thinks', async () => {
    const setup = await start([DONE]);
    await untilAsked(setup);
    const { lease, status, claims, notBefore } = await waitsFor(setup);
    expect({ lease, status, claims }).toEqual({ lease: null, status: 'active', claims: 0 });
    expect(notBefore?.getTime()).toBe(setup.bench.deps.clock.now().getTime() + 2 * MINUTE);
  });

  it('deletes each answer at Google, also one that could not be deleted at once', async () => {
    const setup = await start([CALL, DONE]);
    let refusals = 2;
    setup.background.faults.remove = () => refusals-- <= 0;
    await setup.run();
    setup.bench.deps.clock.advance(30 * MINUTE);
    await removeThoughts(setup.background).run(setup.bench.deps);
    expect(setup.background.asked.map(({ isRemoved }) => isRemoved)).toEqual([true, true]);
    expect(await thoughts(setup.bench)).toEqual([]);
  });
});

describe('without a webhook', () => {
  it('the sweep asks after two minutes, then after twice as long each time', async () => {
    const setup = await start([DONE], { webhook: [], thinkMs: 10 * MINUTE });
    const began = setup.bench.deps.clock.now().getTime();
    const found = await setup.run();
    expect(found.session.status).toBe('completed');
    // After 2, 6 and 14 minutes.
    expect(setup.background.asked).toMatchObject([{ reads: 3 }]);
    expect((found.session.endedAt?.getTime() ?? 0) - began).toBeLessThan(16 * MINUTE);
  });

  it('messages that come while the model thinks do not put the next read off', async () => {
    const setup = await start([DONE], { webhook: [], thinkMs: 3 * MINUTE });
    await untilAsked(setup);
    for (let copy = 0; copy < 5; copy++) {
      await publishIteration(setup.bench.deps.publisher, await waitsFor(setup));
      await setup.bench.deliverNext();
    }
    const { createdAt, notBefore } = await waitsFor(setup);
    expect((notBefore?.getTime() ?? 0) - createdAt.getTime()).toBeLessThan(4 * MINUTE);
  });

  it('a read that fails is repeated later, and the log says why', async () => {
    const setup = await start([DONE], { webhook: [] });
    const warn = vi.spyOn(setup.bench.deps.log, 'warn');
    setup.background.faults.read = ({ reads }) => (reads === 1 ? 'unread' : undefined);
    expect((await setup.run()).session.status).toBe('completed');
    expect(setup.background.asked).toMatchObject([{ reads: 2 }]);
    const [submissionId, code] = [setup.background.asked[0]?.submission.submissionId, 'MODEL_UNAVAILABLE'];
    const unread = expect.objectContaining({ submissionId, err: expect.objectContaining({ code }) });
    expect(warn).toHaveBeenCalledWith(unread, 'an answer could not be read: it is read again later');
  });
});

describe('an answer is asked for once', () => {
  it('if the webhook comes twice, and late once more', async () => {
    const setup = await start([CALL, DONE], { webhook: [1_000, 2_000, 5 * MINUTE] });
    expect((await setup.run()).session.status).toBe('completed');
    expect(setup.background.asked).toHaveLength(2);
  });

  it('if the answer to the submission is lost: the webhook brings the id', async () => {
    const setup = await start([DONE]);
    let lost = 1;
    setup.background.faults.submit = () => (lost-- > 0 ? 'lost' : undefined);
    const began = setup.bench.deps.clock.now().getTime();
    const found = await setup.run();
    expect(found.session.status).toBe('completed');
    expect(setup.background.asked).toHaveLength(1);
    expect((found.session.endedAt?.getTime() ?? 0) - began).toBeLessThan(5 * MINUTE);
  });

  it('if the process dies before the id is stored: the webhook brings it', async () => {
    const setup = await start([DONE]);
    const { submit } = setup.background;
    // The claim and the question are stored, the id is not.
    setup.background.submit = (...given) => {
      setup.bench.dieAfterCommits(0);
      return submit(...given);
    };
    await untilAsked(setup).catch(() => undefined);
    setup.background.submit = submit;
    setup.bench.revive();
    expect((await setup.run()).session.status).toBe('completed');
    expect(setup.background.asked).toHaveLength(1);
  });
});

describe('a question is asked again', () => {
  it('20 minutes after its process died with the id, if no webhook brings it', async () => {
    const setup = await start([DONE], { webhook: [] });
    let lost = 1;
    setup.background.faults.submit = () => (lost-- > 0 ? 'lost' : undefined);
    const began = setup.bench.deps.clock.now().getTime();
    const found = await setup.run();
    expect(found.session.status).toBe('completed');
    const [first, second] = setup.background.asked;
    expect(setup.background.asked).toHaveLength(2);
    expect((second?.endsAt ?? 0) - (first?.endsAt ?? 0)).toBeGreaterThanOrEqual(20 * MINUTE);
    expect((found.session.endedAt?.getTime() ?? 0) - began).toBeLessThan(26 * MINUTE);
    expect(JSON.stringify(found.interactions)).toContain('asked_twice');
    // An orphan that a late webhook names is deleted, and answers nothing.
    const { id: interactionId, submission } = first ?? expect.unreachable();
    await takeWebhook({ interactionId, metadata: { ...submission } }, setup.bench.deps);
    setup.bench.deps.clock.advance(60 * MINUTE);
    await removeThoughts(setup.background).run(setup.bench.deps);
    expect(first?.isRemoved).toBe(true);
  });

  it('if Google has lost it, and counts as a failure of the model after the third time', async () => {
    const setup = await start([DONE]);
    let missing = 1;
    setup.background.faults.read = () => (missing-- > 0 ? 'missing' : undefined);
    expect((await setup.run()).session.status).toBe('completed');
    expect(setup.background.asked).toHaveLength(2);
  });

  it('after a refusal, as after any outage of a model', async () => {
    const setup = await start([DONE]);
    let refused = 2;
    setup.background.faults.submit = () => (refused-- > 0 ? 'refused' : undefined);
    const found = await setup.run();
    expect(found.session.status).toBe('completed');
    expect(setup.background.asked).toHaveLength(1);
    expect(JSON.stringify(found.timeline)).toContain('model_outage');
    expectNoGaps(found);
  });
});

it('guidance that comes while the model thinks is read by the next request only', async () => {
  const setup = await start([CALL, DONE]);
  await untilAsked(setup);
  await addGuidance(setup.sessionId, { text: 'Look at the disk.', by: 'ann' }, setup.bench.deps);
  const found = await setup.run();
  const roles = found.messages.map(({ role, blocks }) => [role, JSON.stringify(blocks).includes('the disk')]);
  const at = roles.findIndex(([, isGuidance]) => isGuidance);
  expect(roles.slice(0, at).map(([role]) => role)).toContain('tool');
  expect(found.execution.guidanceTaken).toBe(1);
});

it.each([
  ['before the question', 1],
  ['while the model thinks', 2],
])('guidance that comes %s is read once where another model takes over', async (_, messages) => {
  const fallback = [{ ...MODEL, model: 'gemini-3.8-pro' }];
  const setup = await start([CALL, CALL, DONE], { agent: { fallback } });
  let failures = 1;
  setup.background.faults.read = () => (failures-- > 0 ? 'failed' : undefined);
  for (let count = 0; count < messages; count++) await setup.bench.deliverNext();
  await addGuidance(setup.sessionId, { text: 'Look at the disk.', by: 'ann' }, setup.bench.deps);
  const found = await setup.run();
  expect(found.execution.modelIndex).toBe(1);
  const guided = found.messages.filter(({ blocks }) => JSON.stringify(blocks).includes('the disk'));
  expect(guided).toHaveLength(1);
});

describe('a webhook is ignored', () => {
  it.each([
    ['of an unknown question', { submissionId: 'nobody' }],
    ['without a question', {}],
    ['with a path for an id', { submissionId: '../sessions/x' }],
  ])('%s', async (_, metadata) => {
    const setup = await start([DONE]);
    await untilAsked(setup);
    const { published } = setup.bench.deps.publisher;
    const before = published.length;
    expect(await takeWebhook({ interactionId: 'v1_1', metadata }, setup.bench.deps)).toBe(false);
    expect(published.length).toBe(before);
  });

  it('that names another interaction for a question', async () => {
    const setup = await start([DONE]);
    await untilAsked(setup);
    const [asked] = setup.background.asked;
    const metadata = { ...asked?.submission };
    expect(await takeWebhook({ interactionId: 'v1_other', metadata }, setup.bench.deps)).toBe(false);
  });
});

describe('the question of', () => {
  it.each([
    ['a cancelled session', (setup: Setup) => cancelSession(setup.sessionId, setup.bench.deps)],
    ['a paused session', (setup: Setup) => pauseSession(setup.sessionId, { by: 'ann' }, setup.bench.deps)],
  ])('%s is cancelled and deleted at Google', async (_, act) => {
    const setup = await start([DONE], { thinkMs: 60 * MINUTE });
    await untilAsked(setup);
    await act(setup);
    setup.bench.deps.clock.advance(3 * MINUTE);
    await removeThoughts(setup.background).run(setup.bench.deps);
    expect(setup.background.asked).toMatchObject([{ isRemoved: true }]);
    expect(await thoughts(setup.bench)).toEqual([]);
  });

  it('a session past its deadline is deleted, and the session ends in time', async () => {
    const setup = await start([DONE], { thinkMs: 600 * MINUTE, deadlineMs: 10 * MINUTE });
    const found = await setup.run();
    expect(found.session).toMatchObject({ status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } });
    setup.bench.deps.clock.advance(10 * MINUTE);
    await removeThoughts(setup.background).run(setup.bench.deps);
    expect(setup.background.asked).toMatchObject([{ isRemoved: true }]);
  });

  it('a session at work is kept', async () => {
    const setup = await start([DONE], { thinkMs: 60 * MINUTE });
    await untilAsked(setup);
    setup.bench.deps.clock.advance(3 * MINUTE);
    await removeThoughts(setup.background).run(setup.bench.deps);
    expect(setup.background.asked).toMatchObject([{ isRemoved: false }]);
    expect(await thoughts(setup.bench)).toHaveLength(1);
  });
});

it('the message that finds the deadline over ends the session, although the model thinks', async () => {
  const setup = await start([DONE], { thinkMs: 600 * MINUTE, webhook: [] });
  await untilAsked(setup);
  setup.bench.deps.clock.advance(121 * MINUTE);
  const { execution } = await setup.bench.read(setup.sessionId);
  await publishIteration(setup.bench.deps.publisher, execution);
  await setup.bench.deliverNext();
  expect((await setup.bench.read(setup.sessionId)).session.status).toBe('timed_out');
});

describe('the tokens of a session', () => {
  const LIMIT = 9_000;
  const agents = Array.from({ length: 4 }, (_, index) =>
    agentOf({
      name: `agent-${index}`,
      model: { ...MODEL, maxOutputTokens: 1_000 },
      tools: ['fixture'],
      limits: { maxIterations: 5, sessionTokens: LIMIT },
    }),
  );

  /** Runs the agents; what they use, and the most that is used and thought about at once. */
  async function run(faults: FakeBackground['faults'] = {}) {
    const thinkMs = 3 * MINUTE;
    const setup = await start([{ ...DONE, usage: { ...USAGE, total: 2_000 } }], {
      thinkMs,
      stages: [{ name: 'look', agents }],
    });
    const { bench, background } = setup;
    background.faults = faults;
    const meter = { most: 0, used: 0 };
    const open = new Map<string, number>();
    const { submit, read } = background;
    background.submit = (request, ids, call) => {
      const { input, output } = callTokens(request);
      open.set(ids.executionId, input + output);
      meter.most = Math.max(meter.most, meter.used + [...open.values()].reduce((sum, one) => sum + one, 0));
      return submit(request, ids, call);
    };
    background.read = async (request, id, call) => {
      const answered = await read(request, id, call);
      if (answered.kind === 'answered') {
        open.delete(background.asked.find((one) => one.id === id)?.submission.executionId ?? '');
        meter.used += 2_000;
      }
      return answered;
    };
    const found = await setup.run();
    const usage = await bench.deps.store.get(paths.stageUsage(setup.sessionId, '01-look'), usageType);
    const reserved = Object.values(usage?.value.reserved ?? {}).reduce((sum, tokens) => sum + tokens, 0);
    return { found, meter, asked: background.asked, count: usage?.value.count, reserved };
  }

  it('have room for all that agents side by side think about, and each agent concludes', async () => {
    const { found, meter, count, reserved } = await run();
    expect(found.session.status).toBe('completed');
    expect(meter.most).toBeLessThanOrEqual(LIMIT);
    expect(meter.most).toBeGreaterThan(LIMIT / 2);
    expect({ count, reserved }).toEqual({ count: meter.used, reserved: 0 });
  });

  it('stay reserved for a question that fails and is asked again', async () => {
    const failures = new Set(['v1_1', 'v1_2']);
    const { meter, asked, count, reserved } = await run({
      read: ({ id }) => (failures.delete(id) ? 'failed' : undefined),
    });
    expect(asked).toHaveLength(6);
    expect(meter.most).toBeLessThanOrEqual(LIMIT);
    expect({ count, reserved }).toEqual({ count: meter.used, reserved: 0 });
  });
});
