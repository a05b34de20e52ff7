// Limits of models and systems in virtual time: executions wait without an instance.

import { describe, expect, it, vi } from 'vitest';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { createQuotas, type QuotaLimits, type ServerQuota } from '../../../shared/contract/quotas.ts';
import { createDocument } from '../../../shared/core/contract/store.ts';
import { TerminalError } from '../../../shared/core/errors.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { modelWaitsPart } from '../../../shared/kits/agents/modelOutage.ts';
import { modelAllowance } from '../../../shared/kits/quotas/quota.ts';
import { allowanceType, paths, quotaType, sessionType } from '../../../shared/lists/documents.ts';
import { type Bench, type BenchOptions, startBench } from '../../support/harness.ts';
import { gateModel, type Refusal, refusal, runCloud } from '../../support/virtualCloud.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MODEL = 'google/gemini-3.8-flash';
const ALLOWANCE = modelAllowance({ provider: 'google', model: 'gemini-3.8-flash' });
/** A call with it asks again. */
const RETRY = { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' };
const DONE = { conversations: [{ turns: [{ text: 'Done.' }] }] };

/** Sessions that run until all have ended, with the times of their requests in minutes. */
async function runSessions(
  alerts: Record<string, unknown>[],
  options: Partial<BenchOptions>,
  refuse: () => Refusal | undefined = () => undefined,
  servers?: QuotaLimits['servers'],
  prepare: (bench: Bench) => void = () => {},
) {
  const bench = await startBench({ script: DONE, inMemory: true, ...options });
  prepare(bench);
  if (servers !== undefined) bench.deps.quotas = createQuotas({ models: {}, servers });
  const { clock } = bench.deps;
  // The start of an hour: shortly before its end a call waits for the next one.
  clock.advance(HOUR - (clock.now().getTime() % HOUR));
  const start = clock.now().getTime();
  const requests: number[] = [];
  gateModel(bench, (now) => {
    requests.push(Math.floor((now.getTime() - start) / MINUTE));
    return refuse();
  });
  const ids: string[] = [];
  for (const alert of alerts) ids.push(await bench.publishAlert(alert));
  const sessions = () => Promise.all(ids.map((id) => bench.deps.store.get(paths.session(id), sessionType)));
  const deliveries = await runCloud(bench, async () =>
    (await sessions()).every((session) => session !== undefined && session.value.endedAt !== null),
  );
  const runs = await Promise.all(ids.map((id) => bench.read(id)));
  const perMinute = Map.groupBy(requests, (minute) => minute);
  return { bench, runs, deliveries, perMinute: [...perMinute.values()].map(({ length }) => length) };
}

/**
 * The documents of minutes that count the model, and all units with those that the process has not counted.
 */
async function counted({ deps }: Bench) {
  const minutes = await deps.store.list({ collection: paths.allowances, idPrefix: 'model~' }, allowanceType);
  const rest = deps.quotas?.uncounted.get(ALLOWANCE.name) ?? 0;
  return { minutes, units: minutes.reduce((sum, { value }) => sum + value.used, rest) };
}

const alerts = (count: number) => Array.from({ length: count }, (_, index) => ({ title: `Alert ${index}` }));
const notices = (run: Awaited<ReturnType<Bench['read']>>) =>
  run.timeline.flatMap((event) =>
    event.eventType === 'notice' && event.metadata.code === 'quota_reached' ? [event] : [],
  );

/** Lets no count be read: an operator, or a release with another form, has changed it. */
function breakCounts({ deps }: Bench): void {
  const { store } = deps;
  const invalid = (path: string) => new TerminalError('DOCUMENT_INVALID', `${path} is not a valid allowance`);
  deps.store = {
    ...store,
    get: (path, type) =>
      type.name === allowanceType.name ? Promise.reject(invalid(path)) : store.get(path, type),
  };
}

describe('a model with a quota', () => {
  it('gets at most its requests of each minute, and no agent fails, although no count can be read', async () => {
    const options = { modelQuotas: { [MODEL]: { rpm: 4 } } };
    const { runs, perMinute } = await runSessions(alerts(12), options, undefined, undefined, breakCounts);
    expect(runs.map(({ session }) => session.status)).toEqual(Array(12).fill('completed'));
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(4);
  });

  it('gets at most its requests of each minute; the other agents wait, get one notice, and lose no iteration', async () => {
    const { runs, perMinute, deliveries } = await runSessions(alerts(12), {
      modelQuotas: { [MODEL]: { rpm: 4 } },
    });
    expect(runs.map(({ session }) => session.status)).toEqual(Array(12).fill('completed'));
    expect(Math.max(...perMinute)).toBeLessThanOrEqual(4);
    expect(perMinute.length).toBeLessThanOrEqual(5);
    const waited = runs.filter((run) => notices(run).length > 0);
    expect(waited).toHaveLength(8);
    for (const run of waited) {
      expect(notices(run)).toHaveLength(1);
      expect(notices(run)[0]).toMatchObject({
        content: expect.stringMatching(
          /^The quota of google\/gemini-3.8-flash for this minute \(4 requests\) is used up\. The agent waits until .*Z and asks again\./,
        ),
        metadata: { subject: MODEL, reason: 'QUOTA_REACHED' },
      });
      expect(run.execution).toMatchObject({ iteration: 1, outage: null, claims: 1 });
      expect(run.execution.waits[0]?.kind).toBe('quota');
      const { deadline, createdAt } = run.session;
      const time = readPart(modelWaitsPart, run.session);
      expect(deadline.getTime() - createdAt.getTime() - 10 * MINUTE).toBe(time?.ms);
    }
    expect(deliveries.mostFailures).toBeLessThan(5);
  });

  it('lets critical alerts through first', async () => {
    const { runs } = await runSessions(
      [...alerts(8), { title: 'Site down', labels: { severity: 'critical' } }],
      { modelQuotas: { [MODEL]: { rpm: 2 } } },
    );
    const ended = runs.map(({ session }) => session.endedAt?.getTime() ?? 0);
    const critical = ended.at(-1) ?? 0;
    expect(readSessionAlert(runs.at(-1)?.session)?.severity).toBe('critical');
    expect(ended.filter((time) => time < critical).length).toBeLessThanOrEqual(4);
  });

  it('waits where the minute has no tokens left', async () => {
    const { runs, perMinute } = await runSessions(alerts(6), { modelQuotas: { [MODEL]: { tpm: 13_000 } } });
    expect(runs.map(({ session }) => session.status)).toEqual(Array(6).fill('completed'));
    // Two answers are reserved in each minute.
    expect(perMinute).toEqual([2, 2, 2]);
  });

  it('counts tokens as they were used', async () => {
    const { bench, runs } = await runSessions(alerts(1), { modelQuotas: { [MODEL]: { tpm: 13_000 } } });
    expect((await counted(bench)).units).toBe(runs[0]?.session.tokens.total);
  });

  it('gets half of its requests for the rest of a minute in which the provider refused one', async () => {
    let refusals = 1;
    // The provider asks for more time than the call has.
    const { bench, runs } = await runSessions(alerts(3), { modelQuotas: { [MODEL]: { rpm: 8 } } }, () =>
      refusals-- > 0 ? refusal(429, [{ ...RETRY, retryDelay: '1200s' }]) : undefined,
    );
    expect(runs.map(({ session }) => session.status)).toEqual(Array(3).fill('completed'));
    const { minutes } = await counted(bench);
    expect(minutes[0]?.value.slowed).toBeGreaterThanOrEqual(1);
    expect(minutes[0]?.id).toMatch(/^model~google~gemini-3_8-flash\.\d{4}-\d\d-\d\dT\d{4}\.0$/);
  });

  it.each([
    [1, undefined, 'slowed'],
    [1, 'flex', 'full'],
    [2, 'flex', 'slowed'],
  ] as const)(
    'after %i refusals that the call survives, at the tier %s, is %s',
    async (count, serviceTier, state) => {
      let refusals = count;
      const model = { provider: 'google', model: 'gemini-3.8-flash', includeThoughts: true };
      const { bench, runs } = await runSessions(
        alerts(1),
        {
          modelQuotas: { [MODEL]: { rpm: 8 } },
          agent: { model: { ...model, ...(serviceTier && { serviceTier }) } },
        },
        () => (refusals-- > 0 ? refusal(429, [RETRY]) : undefined),
      );
      expect(runs.map(({ execution }) => execution.waits)).toEqual([[]]);
      const { minutes, units } = await counted(bench);
      expect(units).toBe(count + 1);
      expect(minutes[0]?.value.slowed).toBe(state === 'slowed' ? 1 : 0);
    },
  );

  it('is shared by all instances', async () => {
    const bench = await startBench({
      script: DONE,
      inMemory: true,
      modelQuotas: { [MODEL]: { rpm: 1 } },
      budgets: { dailyTokens: [{ chain: null, limit: 9_000_000 }] },
    });
    const { clock } = bench.deps;
    clock.advance(MINUTE - (clock.now().getTime() % MINUTE));
    await bench.publishAlert({ title: 'One' });
    await bench.publishAlert({ title: 'Two' }, { tenant: 'acme-2' });
    const other = { ...bench.deps, quotas: createQuotas({ models: { [MODEL]: { rpm: 1 } }, servers: {} }) };
    await bench.deliverNext();
    await bench.deliverNext();
    await bench.deliverNext();
    await expect(bench.deliverNext(other)).rejects.toMatchObject({ code: 'EXECUTION_WAITING' });
    const { minutes } = await counted(bench);
    expect(minutes.map(({ value }) => value.by)).toEqual([{ n_default: 1 }, { 'n_acme-2': 1 }]);
    // A request without a quota reserves no tokens.
    clock.advance(10_000);
    const found = await bench.deps.store.list({ collection: paths.allowances }, allowanceType);
    expect(found.flatMap(({ value }) => Object.values(value.held)).every((tokens) => tokens === 0)).toBe(
      true,
    );
  });
});

describe('an observed system with limits', () => {
  /** One answer with calls, then the analysis. */
  const options = (count: number, name = 'fixture.echo') => ({
    agent: { tools: ['fixture'] },
    script: {
      conversations: [
        {
          turns: [
            {
              toolCalls: Array.from({ length: count }, (_, n) => ({
                name,
                args: { text: `call ${n}` },
              })),
            },
            { text: 'Done.' },
          ],
        },
      ],
    },
  });
  type Run = Awaited<ReturnType<Bench['read']>>;
  const results = (run: Run) =>
    run.timeline.flatMap((event) => (event.eventType === 'tool_result' ? [event.content] : []));
  const run = async (count: number, limits: ServerQuota, sessions = 1) => {
    const all = await runSessions(alerts(sessions), options(count), undefined, { fixture: limits });
    expect(all.runs.map(({ session }) => session.status)).toEqual(Array(sessions).fill('completed'));
    return all;
  };

  it('runs at most its calls of a minute; the other calls of an answer wait, and run later', async () => {
    const { runs } = await run(4, { perMinute: 2 });
    expect(runs.flatMap(results)).toEqual([0, 1, 2, 3].map((n) => expect.stringContaining(`call ${n}`)));
    expect(runs.flatMap(notices).map(({ content }) => content)).toEqual([
      expect.stringMatching(
        /^The limit of fixture for this minute \(2 calls\) is used up\. The agent waits until/,
      ),
    ]);
  });

  it('runs calls later that can be run only once', async () => {
    const all = await runSessions(alerts(1), options(4, 'fixture.fail'), undefined, {
      fixture: { perMinute: 2 },
    });
    expect(all.runs.flatMap(results)).toEqual(Array(4).fill(expect.stringContaining('the disk is full')));
  });

  it('gives up on calls that would wait for more than two minutes, and sends the model an error', async () => {
    const { runs } = await run(8, { perMinute: 1 });
    const texts = runs.flatMap(results);
    expect(texts).toHaveLength(8);
    const refused = texts.filter((text) => /was not run: The limit of fixture for this minute/.test(text));
    expect(refused.length).toBeGreaterThanOrEqual(4);
    expect(refused.length).toBeLessThan(8);
  });

  it('runs at most its concurrent calls, and returns the slot of each', async () => {
    const { bench, runs } = await run(3, { concurrency: 1 }, 2);
    expect(runs.flatMap(results).filter((text) => text.includes('call '))).toHaveLength(6);
    bench.deps.clock.advance(2_000);
    const slots = () => bench.deps.store.get(paths.quotaSlots('server~fixture', 0), quotaType);
    await expect.poll(async () => (await slots())?.value.slots).toEqual({});
  });

  it('refuses further calls of an hour whose bytes are used up', async () => {
    const { runs } = await run(3, { bytesPerHour: 5, concurrency: 1 });
    const texts = runs.flatMap(results);
    expect(texts[0]).toContain('call 0');
    expect(texts.slice(1)).toEqual(
      Array(2).fill(
        'fixture.echo was not run: The limit of fixture for this hour (5 bytes) is used up. Continue without it, or ask for less.',
      ),
    );
  });

  it('lets a slot of a dead process expire with the time limit of its call', async () => {
    const bench = await startBench({ ...options(1), inMemory: true });
    bench.deps.quotas = createQuotas({ models: {}, servers: { fixture: { concurrency: 1 } } });
    const { store, clock } = bench.deps;
    const until = clock.now().getTime() + 30_000;
    const value = { slots: { dead: until }, expireAt: new Date(until) };
    await store.commit([createDocument(paths.quotaSlots('server~fixture', 0), quotaType, value)]);
    const id = await bench.publishAlert();
    const session = () => store.get(paths.session(id), sessionType);
    await runCloud(bench, async () => ((await session())?.value.endedAt ?? null) !== null);
    const { timeline, execution } = await bench.read(id);
    expect(timeline.map(({ eventType }) => eventType)).toEqual([
      'llm_tool_call',
      'tool_result',
      'notice',
      'final_analysis',
    ]);
    expect(execution.endedAt?.getTime()).toBeGreaterThanOrEqual(until);
  });

  it('replaces an unreadable document of slots: its calls no longer count, and the log names it', async () => {
    const bench = await startBench({ ...options(1), inMemory: true });
    bench.deps.quotas = createQuotas({ models: {}, servers: { fixture: { concurrency: 1 } } });
    const { store } = bench.deps;
    const path = paths.quotaSlots('server~fixture', 0);
    const broken = { ...quotaType, encode: () => ({ schemaVersion: 1, slots: 'none' }) };
    await store.commit([createDocument(path, broken, {} as never)]);
    const errors = vi.spyOn(bench.deps.log, 'error');
    const id = await bench.publishAlert();
    await bench.drain();
    const { session, timeline } = await bench.read(id);
    expect(session.status).toBe('completed');
    expect(timeline.map(({ eventType }) => eventType)).toEqual([
      'llm_tool_call',
      'tool_result',
      'final_analysis',
    ]);
    expect(Object.keys((await store.get(path, quotaType))?.value.slots ?? {})).toHaveLength(1);
    bench.deps.clock.advance(2_000);
    await expect.poll(async () => (await store.get(path, quotaType))?.value.slots).toEqual({});
    expect(errors.mock.calls).toEqual([
      [
        expect.objectContaining({ path, code: 'DOCUMENT_INVALID', server: 'fixture' }),
        'the running calls of a server are unreadable and no longer count',
      ],
    ]);
  });
});
