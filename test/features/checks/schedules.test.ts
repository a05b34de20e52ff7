// Schedules: the sweep requests a check at each time of a schedule, intake opens one session for it, and only
// a change of the result is delivered.

import { describe, expect, it } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { checkPart } from '../../../shared/alerts/schema/sessionCheck.ts';
import { schedulesFileSchema } from '../../../shared/config/schedulesFile.ts';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import type { Write } from '../../../shared/core/contract/store.ts';
import { TerminalError } from '../../../shared/core/errors.ts';
import { NO_PARTS, readPart, type WithParts } from '../../../shared/core/schema/parts.ts';
import { handleTick } from '../../../shared/engine/handleTick.ts';
import { changeSchedule } from '../../../shared/features/checks/changeSchedule.ts';
import type { Check } from '../../../shared/features/checks/check.ts';
import { requestWrite } from '../../../shared/features/checks/checkRequest.ts';
import { runSchedules } from '../../../shared/features/checks/runSchedules.ts';
import { openChat } from '../../../shared/kits/questions/openChat.ts';
import {
  checkType,
  deliveryType,
  messageType,
  paths,
  scheduleStateType,
  sessionType,
} from '../../../shared/lists/documents.ts';
import { deployedSweepFeatures } from '../../../shared/lists/sweepFeatures.ts';
import { CLAIMS_ROLE } from '../../../shared/wording/claims.ts';
import { agentOf, type Bench, type BenchOptions, investigate, startBench } from '../../support/harness.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const HEALTHY = 'All pods run.\n\nCheck result: healthy';
const ATTENTION = 'A pod restarts.\n\n**Check result: attention**';
const answers = (when: string, text: string) => ({ when: { user: when }, turns: [{ text }] });
const script = {
  conversations: [
    { when: CLAIMS_ROLE, turns: [{ text: '{"conclusion": "unknown", "cause": []}' }] },
    answers('is broken', ATTENTION),
    { turns: [{ text: HEALTHY }] },
  ],
};
const fails = { when: { user: 'is gone' }, turns: [{ failures: [{ status: 400 }], text: '' }] };
const notify = () => [{ to: 'team', when: ['opened', 'approval', 'ended', 'failed'], digestMs: null }];
const hourly = { cron: '0 * * * *', question: 'Are all pods well?' };

async function scheduled(options: Partial<BenchOptions> = {}) {
  const bench = await startBench({ script, inMemory: true, schedules: { pods: hourly }, ...options });
  const { store, clock, publisher } = bench.deps;
  let schedules = bench.config.schedules ?? {};
  const tick = (process = bench.deps) =>
    handleTick(process, deployedSweepFeatures([runSchedules(schedules)]));
  const sessions = async () =>
    (await store.list({ collection: paths.sessions }, sessionType))
      .map(({ value }) => value)
      .sort((a, b) => a.createdAt.getTime() - b.createdAt.getTime());
  const checks = async () =>
    (await store.list({ collection: paths.checks }, checkType)).map(({ value }) => value);
  const state = async () => (await store.get(paths.scheduleState('pods'), scheduleStateType))?.value;
  /** Moves the clock to the start of an hour, some minutes late. */
  const toHour = (minutesLate = 0) => {
    const late = clock.now().getTime() % HOUR;
    clock.advance(HOUR - late + minutesLate * MINUTE);
  };
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour++) {
      toHour();
      await tick();
      await bench.drain();
    }
  };
  const change = (pods: object) => {
    schedules = schedulesFileSchema(['test']).parse({ schedules: { pods } }).schedules;
    bench.config.schedules = schedules;
  };
  const delivered = async () =>
    (await Promise.all((await sessions()).map(({ sessionId }) => sessionId).map(eventsOf))).flat();
  const eventsOf = async (sessionId: string) =>
    (await store.list({ collection: paths.deliveries(sessionId) }, deliveryType)).map(
      ({ value }) => value.event,
    );
  const requests = () => publisher.published.filter(({ attributes }) => attributes.inquestCheck);
  await tick();
  return { ...bench, tick, sessions, checks, state, toHour, pass, change, delivered, requests };
}

const checkOf = (session: WithParts) => readPart(checkPart, session);

describe('a schedule', () => {
  it('runs a check at each of its times, as a session of the kind check with a result', async () => {
    const one = await scheduled();
    await one.pass(3);
    const sessions = await one.sessions();
    expect(
      sessions.map((own) => [own.kind, own.status, checkOf(own)?.result, readSessionAlert(own)?.title]),
    ).toEqual(Array.from({ length: 3 }, () => ['check', 'completed', 'healthy', 'Check pods']));
    const [{ sessionId, ...own } = { sessionId: '', ...NO_PARTS }] = sessions;
    const check = checkOf(own);
    expect(check).toMatchObject({ schedule: 'pods', question: hourly.question, previous: null });
    expect((check?.slot.getTime() ?? 1) % HOUR).toBe(0);
    const messages = await one.deps.store.list({ collection: paths.messages(sessionId) }, messageType);
    expect(JSON.stringify(messages)).toContain(
      'The question of the author of this check: Are all pods well?',
    );
    const tiers = one.gemini.requests.map(({ body }) => (body as { serviceTier?: string }).serviceTier);
    expect(new Set(tiers)).toEqual(new Set(['flex']));
    expect((await one.checks()).map(({ state, dueAt }) => [state, dueAt])).toEqual(
      Array.from({ length: 3 }, () => ['opened', null]),
    );
    expect(await one.rejected()).toEqual([]);
  });

  it('has a verdict where the chain checks claims and it needs attention, and none where all is well', async () => {
    const one = await scheduled({ claims: {} });
    await one.pass(1);
    one.change({ ...hourly, question: 'Tell whether one is broken' });
    await one.pass(1);
    const sessions = await one.sessions();
    expect(sessions[0]?.parts).not.toHaveProperty('verdict');
    expect(sessions).toMatchObject([
      { status: 'completed', parts: { check: { result: 'healthy' } } },
      { status: 'completed', parts: { verdict: { rule: 'no_cause' }, check: { result: 'attention' } } },
    ]);
  });

  it('delivers only a change of the result', async () => {
    const one = await scheduled({ notify });
    await one.pass(2);
    expect(await one.delivered()).toEqual([]);
    one.change({ ...hourly, question: 'Tell whether one is broken' });
    await one.pass(2);
    expect(await one.delivered()).toEqual(['details', 'ended']);
    one.change(hourly);
    await one.pass(2);
    expect(await one.delivered()).toEqual(['details', 'ended', 'details', 'ended']);
    expect((await one.sessions()).map((own) => checkOf(own)?.previous)).toEqual([
      null,
      'healthy',
      'healthy',
      'attention',
      'attention',
      'healthy',
    ]);
  });

  it('delivers a failure once, every result with onlyIf: always', async () => {
    const one = await scheduled({ notify, script: { conversations: [fails, ...script.conversations] } });
    one.change({ ...hourly, question: 'Tell whether one is gone' });
    await one.pass(3);
    expect((await one.sessions()).map((own) => [own.status, checkOf(own)?.result])).toEqual(
      Array.from({ length: 3 }, () => ['failed', null]),
    );
    expect(await one.delivered()).toEqual(['details', 'failed']);
    one.change({ ...hourly, onlyIf: 'always' });
    await one.pass(2);
    expect(await one.delivered()).toHaveLength(6);
  });

  it('requests one check for a time, whatever is delivered twice, lost or concurrent', async () => {
    const one = await scheduled();
    one.toHour();
    await Promise.all([one.tick(), one.tick(), one.tick()]);
    expect(await one.checks()).toHaveLength(1);
    // Every message is lost; the sweep publishes it again, and all copies arrive in the end.
    for (let minute = 0; minute < 10; minute++) {
      one.deps.clock.advance(MINUTE);
      await one.tick();
    }
    const copies = one.requests();
    expect(copies.length).toBeGreaterThan(3);
    // A copy that finds the iteration published a moment ago asks for another delivery.
    await Promise.allSettled(copies.map((message) => one.deliver(message)));
    await one.drain();
    expect(await one.sessions()).toHaveLength(1);
    expect(await one.checks()).toMatchObject([{ state: 'opened', dueAt: null }]);
  });

  it('is stored as opened if intake died after the session, and as refused if nothing opens it', async () => {
    const one = await scheduled();
    one.toHour();
    await one.tick();
    const [message] = one.requests();
    if (message === undefined) throw new Error('no message');
    const { commit } = one.deps.store;
    let isFirst = true;
    one.deps.store.commit = (writes) => {
      if (writes.some(({ path }) => path.startsWith('sessions/'))) return commit(writes);
      return isFirst && writes.some(({ path }) => path.startsWith('checks/'))
        ? Promise.reject(new Error('the process died'))
        : commit(writes);
    };
    await expect(one.deliver(message)).rejects.toThrow('the process died');
    isFirst = false;
    one.deps.clock.advance(3 * MINUTE);
    await one.tick();
    expect(await one.checks()).toMatchObject([{ state: 'opened' }]);
    one.toHour();
    for (let minute = 0; minute < 50; minute++) {
      await one.tick();
      one.deps.clock.advance(MINUTE);
    }
    const refused = (await one.checks()).find(({ state }) => state === 'refused');
    expect(refused).toMatchObject({ reason: 'no session was opened after 20 messages', dueAt: null });
    expect(await one.sessions()).toHaveLength(1);
  });

  it('is requested although one before it cannot be read, and another is given up', async () => {
    const one = await scheduled();
    const { store, clock } = one.deps;
    const request = (checkId: string, minutesAgo: number, attempts: number) => {
      const content = { title: 'Well?', question: 'Well?', labels: {}, chain: null };
      const slot = new Date(clock.now().getTime() - minutesAgo * MINUTE);
      const given = { checkId, tenantId: 'default', userId: null, schedule: null, slot, content };
      const { value, ...write } = requestWrite(
        { ...given, previousId: null, requestedBy: null },
        clock.now(),
      );
      return { ...write, value: { ...(value as Check), attempts } } as Write;
    };
    await store.commit([request('broken', 3, 0), request('late', 2, 20), request('due', 1, 0)]);
    const { get } = store;
    store.get = (path, type) =>
      path === paths.check('broken')
        ? Promise.reject(new TerminalError('DOCUMENT_INVALID', 'attempts: invalid'))
        : get(path, type);
    expect(await one.tick()).toMatchObject({ failures: [{ sessionId: paths.check('broken') }] });
    expect(one.requests().map(({ attributes }) => attributes.inquestCheck)).toEqual(['due']);
  });

  it('skips a time while the run before lasts, and names missed times', async () => {
    const one = await scheduled();
    one.toHour();
    await one.tick();
    one.toHour();
    await one.tick();
    expect((await one.state())?.recent.map(({ outcome }) => outcome)).toEqual(['overlap', 'requested']);
    await one.drain();
    // The sweep stops for 5 hours: the latest time is half an hour old, within startWithin.
    one.toHour(4 * 60 + 30);
    await one.tick();
    const state = await one.state();
    expect(state).toMatchObject({ missed: 4, overlaps: 1 });
    expect(state?.recent.map(({ outcome }) => outcome)).toEqual([
      'requested',
      'missed',
      'missed',
      'missed',
      'missed',
      'overlap',
      'requested',
    ]);
    expect((state?.recent[0]?.slot.getTime() ?? 1) % HOUR).toBe(0);
    one.change({ ...hourly, startWithin: '10m' });
    await one.drain();
    one.toHour(30);
    await one.tick();
    expect((await one.state())?.recent[0]?.outcome).toBe('missed');
  });

  it('counts no time before it was configured or changed as missed', async () => {
    const one = await scheduled();
    one.toHour(10 * 60);
    one.change({ ...hourly, cron: '*/5 * * * *' });
    await one.tick();
    expect(await one.state()).toMatchObject({ missed: 0, recent: [] });
    expect(await one.checks()).toEqual([]);
  });

  it.each(['resumed', 'changed'])(
    'that is %s by a slow clock counts no time that was handled again',
    async (how) => {
      const one = await scheduled();
      await one.pass(1);
      const before = await one.state();
      const { clock } = one.deps;
      const slow = {
        ...one.deps,
        clock: { ...clock, now: () => new Date(clock.now().getTime() - 5 * MINUTE) },
      };
      if (how === 'changed') {
        one.change({ ...hourly, cron: '0 */1 * * *' });
        await one.tick(slow);
      } else {
        for (const act of ['pause', 'resume'] as const) {
          const change = { name: 'pods', act, by: 'ana', tenantId: 'default' };
          expect(await changeSchedule(change, one.config.schedules ?? {}, slow)).toMatchObject({
            kind: 'changed',
          });
        }
      }
      await one.tick();
      expect(await one.state()).toMatchObject({
        recent: before?.recent,
        missed: 0,
        overlaps: 0,
        handledUntil: before?.handledUntil,
      });
      expect(await one.checks()).toHaveLength(1);
    },
  );

  it('is refused by the configuration of intake if that has no such schedule, and the reason is stored', async () => {
    const one = await scheduled();
    one.toHour();
    await one.tick();
    one.config.schedules = {};
    await one.drain();
    expect(await one.checks()).toMatchObject([
      { state: 'refused', reason: 'schedules.yaml has no schedule pods; add it again' },
    ]);
    const [refused] = one.requests();
    one.change(hourly);
    if (refused !== undefined) await one.deliver(refused);
    expect(await one.sessions()).toEqual([]);
    // What was refused has ended: the next time is run.
    await one.pass(1);
    expect(await one.sessions()).toHaveLength(1);
    expect(await one.state()).toMatchObject({ overlaps: 0 });
  });

  it('has no secret of its question in its session, whose id has the day of its time', async () => {
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const one = await scheduled({ schedules: { pods: { ...hourly, question: `Does ${secret} work?` } } });
    await one.pass(1);
    const [{ sessionId, ...own } = { sessionId: '', ...NO_PARTS }] = await one.sessions();
    const check = checkOf(own);
    expect(check?.question).toMatch(/^Does \[masked:.* work\?$/);
    expect(sessionId).toMatch(new RegExp(`^${check?.slot.toISOString().slice(0, 10)}-`));
  });

  it('is not opened by a message that names no request, and a copy of a message opens nothing', async () => {
    const one = await scheduled();
    await one.pass(1);
    const [request] = one.requests();
    const forged = ['pods.2020-01-01T00-00-00-000Z', '../x', '', request?.attributes.inquestCheck ?? ''];
    for (const inquestCheck of forged) {
      await one.deps.publisher.publish(TOPICS.alerts, { title: 'Forged' }, { inquestCheck });
      await one.drain();
    }
    expect(await one.sessions()).toHaveLength(1);
  });

  it('offers the same tools and instructions to an agent as an alert does', async () => {
    const agent = { tools: ['fixture'], instructions: 'Look at the pods.' };
    const one = await scheduled({ agent });
    await one.pass(1);
    const other = await investigate({ script, inMemory: true, agent });
    const [checked, alerted] = [one.gemini.requests.at(-1)?.body, other.gemini.requests.at(-1)?.body];
    const partsOf = (body: unknown) => {
      const { tools, systemInstruction } = body as Record<string, unknown>;
      const text = JSON.stringify(systemInstruction).replace(
        /conversation: [0-9a-f]{32}/,
        'conversation: ID',
      );
      return { tools, text };
    };
    expect(partsOf(checked).tools).toBeDefined();
    expect(partsOf(checked)).toEqual(partsOf(alerted));
  });

  it('offers the same tools to an agent as an alert, a chat and the agent that asks it do', async () => {
    const reader = { tools: ['fixture', 'search'], instructions: 'Look at the pods.' };
    const ask = { name: 'ask_agent', args: { agent_name: 'pods', input_text: 'How are the pods?' } };
    const chains = {
      conversations: [
        { when: 'You lead.', turns: [{ toolCalls: [ask] }, { text: HEALTHY }] },
        ...script.conversations,
      ],
    };
    const toolsIn = ({ gemini }: Pick<Bench, 'gemini'>) => {
      const bodies = gemini.requests.map(({ body }) => body as Record<string, unknown>);
      const own = bodies.filter(({ systemInstruction }) =>
        JSON.stringify(systemInstruction).includes('Look at the pods.'),
      );
      return own.map(({ tools }) => tools);
    };
    const one = await scheduled({ agent: reader });
    await one.pass(1);
    const [checked] = toolsIn(one);
    expect(JSON.stringify(checked)).toContain('echo');

    const alerted = await investigate({ script, inMemory: true, agent: reader });
    const chat = await startBench({ script, inMemory: true, chat: reader });
    await openChat(
      { text: 'Why?', by: 'ada', tenantId: 'default', userId: 'ada' },
      undefined,
      chat.config,
      chat.deps,
    );
    await chat.drain();
    const lead = { instructions: 'You lead.', tools: ['ask_agent'], asks: [{ name: 'pods' }] };
    const asking = await investigate({
      script: chains,
      inMemory: true,
      agent: lead,
      agents: { pods: agentOf({ name: 'pods', ...reader }) },
    });
    expect([alerted, chat, asking].map((bench) => toolsIn(bench)[0])).toEqual([checked, checked, checked]);
  });

  it('belongs to its tenant, and imitates a source with its alert', async () => {
    const alert = { title: 'Backup of shop', labels: { cluster: 'eu-1' }, severity: 'critical' };
    const one = await scheduled({ schedules: { pods: { cron: '0 * * * *', alert, tenant: 'shop' } } });
    await one.pass(1);
    expect(await one.sessions()).toMatchObject([
      {
        tenantId: 'shop',
        parts: {
          alert: { title: 'Backup of shop', labels: { cluster: 'eu-1' } },
          check: { question: null },
        },
      },
    ]);
  });
});

describe('a check after a change', () => {
  const rule = {
    question: 'Did the rollout make anything worse?',
    resources: ['k8s:prod/*'],
    chain: 'test',
  };
  const start = () =>
    scheduled({
      changeChecks: schedulesFileSchema(['test']).parse({ afterChanges: { rollouts: rule } }).afterChanges,
    });
  type One = Awaited<ReturnType<typeof start>>;
  const send = async ({ deps, drain }: One, change: object) => {
    const at = deps.clock.now().toISOString();
    const body = {
      id: 7,
      resource: 'k8s:prod/shop/Deployment/cart',
      kind: 'deploy',
      title: 'cart 2',
      at,
      ...change,
    };
    await deps.publisher.publish(TOPICS.changes, Buffer.from(JSON.stringify(body)), {});
    await drain();
  };
  /** The checks of the changes that the bench has had, some minutes later. */
  const checksLater = async (one: One, minutes: number) => {
    one.deps.clock.advance(minutes * MINUTE);
    await one.tick();
    await one.drain();
    const own = (await one.sessions()).filter((session) => checkOf(session)?.schedule === null);
    return own.map((session) => [
      session.kind,
      checkOf(session)?.question,
      readSessionAlert(session)?.title,
      session.status,
    ]);
  };
  const done = ['check', rule.question, 'Check after cart 2', 'completed'];

  it('starts ten minutes after the end of a rollout, once, whatever is delivered twice', async () => {
    const one = await start();
    await send(one, {});
    await send(one, {});
    expect(await one.checks()).toMatchObject([
      {
        state: 'waiting',
        requestedBy: 'afterChanges.rollouts',
        content: { chain: 'test', labels: { resource: 'k8s:prod/shop/Deployment/cart' } },
      },
    ]);
    expect(await checksLater(one, 9)).toEqual([]);
    expect(await checksLater(one, 2)).toEqual([done]);
    await send(one, { title: 'cart 2 again' });
    expect(await checksLater(one, 20)).toEqual([done]);
    await send(one, { id: 8 });
    expect(await checksLater(one, 20)).toEqual([done, done]);
  });

  it.each([
    ['another kind', { kind: 'flag' }],
    ['a resource that no pattern names', { resource: 'k8s:test/shop/Deployment/cart' }],
    ['a rollout that runs', { status: 'running' }],
    ['a rollout that failed', { status: 'attempted' }],
    ['a rollout of the day before', { at: new Date(Date.UTC(2020, 0, 1)).toISOString() }],
  ])('is not requested for %s', async (_, change) => {
    const one = await start();
    await send(one, change);
    expect(await one.checks()).toEqual([]);
  });

  it('is requested if it was due an hour ago, and not later', async () => {
    const one = await start();
    const now = one.deps.clock.now().getTime();
    await send(one, { id: 8, at: new Date(now - 71 * MINUTE).toISOString() });
    expect(await one.checks()).toEqual([]);
    await send(one, { id: 9, at: new Date(now - 70 * MINUTE).toISOString() });
    expect(await one.checks()).toHaveLength(1);
  });

  it('is requested when a rollout ends that was reported while it ran', async () => {
    const one = await start();
    await send(one, { status: 'running' });
    await send(one, { status: 'done' });
    expect(await checksLater(one, 11)).toEqual([done]);
  });
});
