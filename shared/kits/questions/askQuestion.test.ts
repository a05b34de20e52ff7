import { describe, expect, it } from 'vitest';
import { SAMPLE_TIME, sampleAgent, sampleControl, sampleSession } from '../../../test/support/samples.ts';
import { createDocument, putDocument, type Store } from '../../core/contract/store.ts';
import { readPart, withPart } from '../../core/schema/parts.ts';
import type { Session } from '../../core/schema/session.ts';
import {
  controlType,
  executionType,
  paths,
  sessionType,
  stageType,
  timelineEventType,
} from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMaskers } from '../../masking/maskers.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { modelWaitsPart } from '../agents/modelOutage.ts';
import { requestPart } from '../views/chat/requestContext.ts';
import { askQuestion, MAX_QUESTIONS, type QuestionInput, questionFault } from './askQuestion.ts';

const MINUTE = 60_000;
const now = new Date(SAMPLE_TIME.getTime() + 600 * MINUTE);
const chain = { ...sampleSession().chain, chat: sampleAgent({ name: 'chat' }) };

/** A question with other fields, and the store that it is asked through. */
type Asked = Partial<QuestionInput> & { through?: (store: Store) => Store };

/** Asks about a session that has ended, whose investigation could take half an hour. */
async function ask(
  session: Partial<Session> = {},
  publish?: () => Promise<string>,
  { through = (store: Store) => store, ...input }: Asked = {},
) {
  const store = createMemoryStore(() => now);
  const value = sampleSession({ status: 'completed', chain, ...session });
  const path = paths.session(value.sessionId);
  const control = sampleControl({ paused: value.steering.paused !== null });
  await store.commit([
    createDocument(path, sessionType, value),
    createDocument(paths.control(value.sessionId), controlType, control),
  ]);
  const publisher = createMemoryPublisher();
  const outcome = await askQuestion(
    value.sessionId,
    { text: 'Since when?', by: 'ada', ...input },
    composeState({
      store: through(store),
      publisher: publish === undefined ? publisher : { ...publisher, publish },
      clock: { now: () => now, every: () => () => {}, after: () => () => {} },
      log: createLogger({ LOG_LEVEL: 'silent' }),
      maskerFor: createMaskers({}),
    }),
  );
  const stored = (await store.get(path, sessionType))?.value;
  const isPaused = (await store.get(paths.control(value.sessionId), controlType))?.value.paused;
  const [execution] = await store.list({ collection: paths.executions(value.sessionId) }, executionType);
  const question = async () => {
    const event = paths.event(value.sessionId, execution?.id ?? '', 1);
    return (await store.get(event, timelineEventType))?.value;
  };
  const stages = await store.list({ collection: `${path}/stages` }, stageType);
  const agent = execution?.value.agentName;
  return { outcome, stored, isPaused, question, agent, stages: stages.length };
}

describe('a question', () => {
  it('has as long as its investigation had, but not longer than the session is kept', async () => {
    const deadline = new Date(now.getTime() + 30 * MINUTE);
    expect((await ask()).outcome).toMatchObject({ kind: 'asked', deadline });
    const expireAt = new Date(now.getTime() + 10 * MINUTE);
    expect((await ask({ expireAt })).outcome).toMatchObject({ kind: 'asked', deadline: expireAt });
  });

  it('is the last of fifty', async () => {
    const last = await ask({ questions: MAX_QUESTIONS - 1 });
    expect(last.stored).toMatchObject({ questions: 50, openStage: { cancelling: false } });
    expect((await ask({ questions: MAX_QUESTIONS })).outcome).toEqual({ kind: 'too_many' });
  });

  it.each(['in_progress', 'cancelling', 'deferred'] as const)(
    'is refused while its session is %s',
    async (status) => {
      expect((await ask({ status })).outcome).toEqual({ kind: 'not_ended', status });
    },
  );

  it('about a session that ended while it was paused is not paused', async () => {
    const { steering } = sampleSession();
    const { stored, isPaused } = await ask({ steering: { ...steering, paused: { by: 'bob', at: now } } });
    expect([stored?.steering.paused, isPaused]).toEqual([null, false]);
  });

  it('whose message is not published is asked all the same: the sweep publishes it', async () => {
    const { outcome, stored } = await ask({}, () => Promise.reject(new Error('Pub/Sub is down')));
    expect(outcome).toMatchObject({ kind: 'asked', isPublished: false });
    expect(stored?.openStage).not.toBeNull();
  });

  it('has the time that the investigation waited for models only if a question waited', async () => {
    const waited = withPart(modelWaitsPart, sampleSession(), { ms: 20 * MINUTE, questionMs: 5 * MINUTE });
    const { outcome } = await ask({ parts: waited.parts });
    expect(outcome).toMatchObject({ deadline: new Date(now.getTime() + 15 * MINUTE) });
  });

  const openStage = { stageId: '02', deadline: now, cancelling: false };
  const used = { ...chain, chat: sampleAgent({ limits: { ...sampleAgent().limits, sessionTokens: 500 } }) };
  const tokens = { input: 400, output: 100, thinking: 0, cached: 0, total: 500 };
  it.each<[string, Partial<Session>, object]>([
    ['another question is answered', { openStage }, { kind: 'busy', stageId: '02', deadline: now }],
    [
      'its chain answers none',
      { chain: { ...chain, chat: undefined } as Session['chain'] },
      { kind: 'no_chat', chain: 'default' },
    ],
    ['its tokens are used up', { chain: used, tokens }, { kind: 'used_up', tokens: 500 }],
  ])('is refused if %s', async (_, session, expected) => {
    const { outcome, stages } = await ask(session);
    expect([outcome, stages]).toEqual([expected, 0]);
  });

  it('is answered while one token is left, and refused about an unknown session', async () => {
    const left = { ...tokens, total: 499 };
    expect((await ask({ chain: used, tokens: left })).outcome).toMatchObject({ kind: 'asked' });
    const get: Store['get'] = async () => undefined;
    const { outcome } = await ask({}, undefined, { through: (store) => ({ ...store, get }) });
    expect(outcome).toEqual({ kind: 'unknown_session' });
  });

  it.each([
    ['', 'it is empty; write the question'],
    [' \n', 'it is empty; write the question'],
    ['😀'.repeat(100_000), undefined],
    [` ${'x'.repeat(100_001)} `, 'it has 100001 characters; at most 100000 are read'],
  ])('has 1 to 100,000 characters (%#)', async (text, fault) => {
    expect(questionFault(text)).toBe(fault);
    const asked = ask({}, undefined, { text });
    if (fault === undefined) expect((await asked).outcome).toMatchObject({ kind: 'asked' });
    else await expect(asked).rejects.toThrow(`the question cannot be asked: ${fault}`);
  });

  const secret = 'password=aB3dE6gH9';
  it('is stored masked, without blanks around it, with its person and the context of its request', async () => {
    const context = { agent: null, model: null, clientId: `cli ${secret}`, isEval: false };
    const input = { text: ` Is ${secret} right? `, by: `ada ${secret}`, userId: `u ${secret}`, context };
    const { question, stored } = await ask({}, undefined, input);
    const event = await question();
    expect(event).toMatchObject({
      eventType: 'user_question',
      content: expect.stringMatching(/^Is password=\S+ right\?$/),
      metadata: { askedBy: expect.stringMatching(/^ada password=/), masked: 1 },
    });
    expect(stored && readPart(requestPart, stored)).toEqual({
      ...context,
      clientId: expect.stringMatching(/^cli password=/),
    });
    expect(JSON.stringify([event, stored])).not.toContain('aB3dE6gH9');
    const nameless = await ask({}, undefined, { context: { ...context, clientId: null } });
    expect(nameless.stored && readPart(requestPart, nameless.stored)?.clientId).toBeNull();
    expect((await ask()).stored?.parts).not.toHaveProperty('request');
  });

  it('is answered by the agent of the request, and stored with further writes', async () => {
    const agent = sampleAgent({ name: 'other' });
    const beside = (stageId: string) => [
      putDocument(paths.control(`beside-${stageId}`), controlType, sampleControl()),
    ];
    let written: string[] = [];
    const through = (store: Store): Store => ({
      ...store,
      commit: (writes) => {
        written = writes.map(({ path }) => path);
        return store.commit(writes);
      },
    });
    expect((await ask({}, undefined, { agent, beside, through })).agent).toBe('other');
    expect(written.some((path) => path.includes('beside-'))).toBe(true);
    expect((await ask()).agent).toBe('chat');
  });

  it('whose commit was stored although its answer was lost is asked once', async () => {
    let commits = 0;
    const through = (store: Store): Store => ({
      ...store,
      async commit(writes) {
        commits += 1;
        const result = await store.commit(writes);
        return commits === 1 ? { ok: false, reason: 'changed' } : result;
      },
    });
    const { outcome, stored, stages } = await ask({}, undefined, { through });
    expect([outcome, commits, stages, stored?.questions]).toMatchObject([{ isPublished: true }, 1, 1, 1]);
  });

  it('gives way to one that another person asked at the same moment', async () => {
    let isFirst = true;
    const through = (store: Store): Store => ({
      ...store,
      async commit(writes) {
        if (!isFirst) return store.commit(writes);
        isFirst = false;
        const other = writes.map((write) =>
          write.type.name === timelineEventType.name
            ? { ...write, value: { ...(write.value as object), content: 'Another question?' } }
            : write,
        ) as typeof writes;
        await store.commit(other);
        return store.commit(writes);
      },
    });
    const { outcome, stages } = await ask({}, undefined, { through });
    expect([outcome, stages]).toMatchObject([{ kind: 'busy' }, 1]);
  });
});
