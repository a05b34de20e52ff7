import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { messageType, paths } from '../lists/documents.ts';
import { projectFile } from '../projectFiles.ts';
import type { DurableOptions } from './durable.ts';
import { awaitNotice, call, collect, done, open, read, type Turn, writeScripts } from './engine.fixture.ts';
import * as engine from './engine.ts';
import type { HandlerResponse } from './handlers.ts';

const scripted = writeScripts();

const { inProcess, memory, pubsub, RetryableError, tool, z } = engine;

describe('the engine', () => {
  it('exports these names', () => {
    expect(Object.keys(engine).sort()).toEqual([
      'RetryableError',
      'TerminalError',
      'durable',
      'firestore',
      'gemini',
      'inProcess',
      'langchain',
      'mcp',
      'memory',
      'pubsub',
      'script',
      'tool',
      'z',
    ]);
  });

  it('runs the hello world as a program', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [projectFile('examples/engine/hello.ts')]);
    expect(stdout.split('\n').slice(0, 4)).toEqual([
      '1 llm_tool_call code.add(a: 40, b: 2)',
      '2 tool_result 42',
      '3 final_analysis 40 and 2 are 42.',
      '40 and 2 are 42.',
    ]);
  });

  it('starts one run for an id, and refuses the id for another agent or tenant', async () => {
    const agents = open({ model: scripted(done) });
    const one = agents.agent({ name: 'one', instructions: 'Work.' });
    const other = agents.agent({ name: 'other', instructions: 'Work.' });
    const input = { input: 'Go.' };
    const first = await agents.start(one, input, { id: 'ticket-17', tenant: 'acme' });
    await agents.result(first);
    const again = await agents.start(one, input, { id: 'ticket-17', tenant: 'acme' });
    expect([first.id, again.id]).toEqual(['ticket-17', 'ticket-17']);
    expect(await agents.result(again)).toMatchObject({ status: 'completed', text: 'Done.', tenant: 'acme' });
    expect(read(await collect(agents.events(again)))).toEqual(['final_analysis: Done.']);
    const taken = { code: 'KEY_TAKEN' };
    await expect(agents.start(other, input, { id: 'ticket-17', tenant: 'acme' })).rejects.toMatchObject(
      taken,
    );
    await expect(agents.start(one, input, { id: 'ticket-17' })).rejects.toMatchObject(taken);
  });

  it.each([
    ['no task', { input: ' ' }, {}, 'input: is empty; pass the task as text'],
    [
      'a task that is too long',
      { input: 'x'.repeat(128_001) },
      {},
      'input: has 128001 bytes; at most 128000 are read',
    ],
    ['a path as id', { input: 'x' }, { id: '../x' }, 'id: must start with a letter or digit'],
    ['a path as tenant', { input: 'x' }, { tenant: 'a.b' }, 'tenant: must start with a letter or digit'],
    ['a label without a name', { input: 'x' }, { labels: { '': 'x' } }, 'labels: "" must start with'],
    [
      'a long label',
      { input: 'x' },
      { labels: { a: 'x'.repeat(257) } },
      'labels.a: must be a text of at most',
    ],
    [
      'many labels',
      { input: 'x' },
      { labels: Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`l${index}`, 'x'])) },
      'labels: has 33 entries; at most 32 are stored',
    ],
    ['no time', { input: 'x' }, { deadlineMs: 0 }, 'deadlineMs: must be above 0'],
    ['a time before now', { input: 'x' }, { retentionMs: -1 }, 'retentionMs: must be above 0'],
  ])('refuses to start with %s', async (_, input, options, fault) => {
    const agents = open({ model: scripted(done) });
    const agent = agents.agent({ name: 'one', instructions: 'Work.' });
    await expect(agents.start(agent, input, options)).rejects.toThrow(fault);
  });

  it('starts with the largest values that it allows', async () => {
    const agents = open({ model: scripted(done) });
    const agent = agents.agent({ name: 'one', instructions: 'Work.' });
    const labels = Object.fromEntries(
      Array.from({ length: 32 }, (_, index) => [`l${index}`, 'x'.repeat(256)]),
    );
    const [id, tenant] = ['a'.repeat(100), 't'.repeat(63)];
    const run = await agents.start(
      agent,
      { input: 'x'.repeat(128_000) },
      { id, tenant, labels, deadlineMs: 1_000_000 },
    );
    expect(run.id).toBe(id);
    expect(await agents.result(run)).toMatchObject({ status: 'completed', tenant, labels });
    await expect(agents.start(agent, { input: 'x' }, { id: 'a'.repeat(101) })).rejects.toThrow(
      'id: must start',
    );
    await expect(agents.start(agent, { input: 'x' }, { tenant: 't'.repeat(64) })).rejects.toThrow(
      'tenant: must',
    );
  });

  it('gives the answer in the declared form, with its type', async () => {
    const agents = open({ model: scripted({ text: '{"sum": 42}' }) });
    const agent = agents.agent({ name: 'sum', instructions: 'Add.', answer: z.object({ sum: z.number() }) });
    const { answer, status } = await agents.result(await agents.start(agent, { input: '40 + 2' }));
    expectTypeOf(answer).toEqualTypeOf<{ sum: number } | undefined>();
    expect([status, answer]).toEqual(['completed', { sum: 42 }]);
  });

  it('resumes events after a number, and follows a live run', async () => {
    const agents = open({ model: scripted(call('look'), call('look', { n: 2 }), done) });
    const look = tool({
      name: 'look',
      version: '1',
      input: z.object({ n: z.number().optional() }),
      run: () => 'seen',
    });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [look] });
    const run = await agents.start(agent, { input: 'Go.' });
    const all = await collect(agents.events(run));
    expect(all.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
    const rest = await collect(agents.events(run, { after: 3 }));
    expect(rest).toEqual(all.slice(3));
  });

  it('masks with the guard of the program, or with its own', async () => {
    const guard: DurableOptions['guard'] = (own) => ({
      ...own,
      cleanAnswer: (response) =>
        own.cleanAnswer({ ...response, text: response.text.replace('Done', 'Over') }),
    });
    const texts = [{ secrets: ['hunter-22-hunter'] }, { guard }].map(async (options) => {
      const agents = open({ model: scripted({ text: 'Done with hunter-22-hunter.' }), ...options });
      const agent = agents.agent({ name: 'one', instructions: 'Work.' });
      return (await agents.result(await agents.start(agent, { input: 'Go.' }))).text;
    });
    const [own, replaced] = await Promise.all(texts);
    expect(own).toMatch(/^Done with \[masked:known#\w+\]\.$/);
    expect(replaced).toMatch(/^Over with hunter-22-hunter/);
  });

  it('asks with its own texts, which name no alert, or with those of the program', async () => {
    const sent: string[] = [];
    const guard: DurableOptions['guard'] = (own) => own;
    const answers = [{}, { wording: { investigate: () => ({ system: 'Be brief.', user: 'Own.' }) } }].map(
      async (options) => {
        const store = memory();
        const agents = open({ model: scripted(done), guard, store, ...options });
        const run = await agents.start(agents.agent({ name: 'one', instructions: 'Work.' }), {
          input: 'Go.',
        });
        await agents.result(run);
        const messages = await store.list({ collection: paths.messages(run.id) }, messageType);
        sent.push(JSON.stringify(messages.slice(0, 2).map(({ value }) => value.blocks)));
      },
    );
    await Promise.all(answers);
    const [own = '', replaced = ''] = sent.sort((a, b) => b.length - a.length);
    expect(own).toContain('The task:\\nGo.');
    expect(own).toContain('Work.');
    expect(own).not.toMatch(/on call|investigat/);
    expect(replaced).toContain('Be brief.');
    expect(replaced).toContain('Own.');
  });

  it('lists runs page by page, of a tenant and in a status', async () => {
    const agents = open({ model: scripted(done) });
    const one = agents.agent({ name: 'one', instructions: 'Work.' });
    for (const [id, tenant] of [
      ['a', 'acme'],
      ['b', 'other'],
      ['c', 'acme'],
    ] as const)
      await agents.result(await agents.start(one, { input: 'Go.' }, { id, tenant }));
    const first = await agents.list({ limit: 2 });
    expect([first.runs.map(({ id }) => id), first.next]).toEqual([['a', 'b'], 'b']);
    const second = await agents.list({ limit: 2, after: 'b' });
    expect([second.runs.map(({ id }) => id), second.next]).toEqual([['c'], null]);
    const acme = await agents.list({ tenant: 'acme', status: ['completed'] });
    expect(acme.runs).toMatchObject([
      { id: 'a', agent: 'one', tenant: 'acme' },
      { id: 'c', status: 'completed' },
    ]);
    expect(await agents.list({ status: ['failed'] })).toEqual({ runs: [], next: null });
  });

  it('returns the labels of runs, without secrets, and lists runs by them', async () => {
    const agents = open({ model: scripted(done), secrets: ['hunter-22-hunter'] });
    const one = agents.agent({ name: 'one', instructions: 'Work.' });
    const start = (id: string, labels?: Record<string, string>) =>
      agents.start(one, { input: 'Go.' }, { id, ...(labels && { labels }) });
    await start('a', { team: 'shop', stage: 'test' });
    await start('b', { team: 'shop', key: 'hunter-22-hunter' });
    await start('c');
    expect((await agents.result('a')).labels).toEqual({ team: 'shop', stage: 'test' });
    expect((await agents.result('b')).labels.key).toMatch(/^\[masked:/);
    expect((await agents.result('c')).labels).toEqual({});
    const find = async (labels: Record<string, string>) =>
      (await agents.list({ labels })).runs.map(({ id }) => id);
    expect(await find({ team: 'shop' })).toEqual(['a', 'b']);
    expect(await find({ team: 'shop', stage: 'test' })).toEqual(['a']);
    expect(await find({ team: 'toString' })).toEqual([]);
    const page = await agents.list({ labels: { team: 'shop' }, status: ['completed'], limit: 1 });
    expect(page).toMatchObject({ runs: [{ id: 'a' }], next: 'a' });
    expect(await agents.list({ labels: { team: 'shop' }, status: ['completed'], after: 'a' })).toMatchObject({
      runs: [{ id: 'b' }],
      next: null,
    });
  });

  it('limits the agents of a run by its options', async () => {
    const agents = open({ model: scripted(call('look'), done) });
    const look = tool({ name: 'look', version: '1', input: z.object({}), run: () => 'seen' });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [look] });
    const run = await agents.start(agent, { input: 'Go.' }, { limits: { maxIterations: 1 } });
    expect((await agents.result(run)).caveats).toEqual(['MAX_ITERATIONS']);
    const zero = agents.start(agent, { input: 'Go.' }, { limits: { maxIterations: 0 } });
    await expect(zero).rejects.toThrow(/limits: .*maxIterations/);
  });

  it('runs a chain of stages with replicas and a synthesis', async () => {
    const agents = open({ model: scripted(done) });
    const one = agents.agent({ name: 'one', instructions: 'Work.' });
    const both = agents.agent({ name: 'both', instructions: 'Combine.', strategy: 'synthesis' });
    const stages = [
      { name: 'work', agents: [{ agent: one, replicas: 2 }], synthesis: both },
      { name: 'check', agents: [one] },
    ];
    const run = await agents.start(agents.chain({ name: 'team', stages }), { input: 'Go.' });
    expect(await agents.result(run)).toMatchObject({ status: 'completed', text: 'Done.', agent: 'team' });
    const events = await collect(agents.events(run));
    expect(events.map(({ executionId }) => executionId).sort()).toEqual([
      '01-both',
      '01-one-1',
      '01-one-2',
      '02-one',
    ]);
  });

  it('refuses two keys of the Gemini API', () => {
    const agents = open();
    const model = (apiKey: string) => engine.gemini('gemini-3.8-flash', { apiKey });
    agents.agent({ name: 'first', instructions: 'Help.', model: model('one') });
    agents.agent({ name: 'second', instructions: 'Help.', model: model('one') });
    const third = () => agents.agent({ name: 'third', instructions: 'Help.', model: model('two') });
    expect(third).toThrow('agent third: model: its apiKey is not that of the models before');
  });

  it.each<[string, () => object, string]>([
    [
      'a tool with a name that is taken',
      () => ({ tools: [look('2')] }),
      'agent b: tools: two tools have the name code.look; rename one of them',
    ],
    ['two tools with one name', () => ({ tools: [look('2'), look('3')] }), 'agent b: tools: two tools have'],
    [
      'a server with a name that is taken',
      () => ({ tools: [engine.mcp('https://one.example/other', { name: 'docs' })] }),
      'agent b: tools: two MCP servers have the name docs; set name in one mcp()',
    ],
    [
      'a tool that needs approval, without a key',
      () => ({ tools: [approved('1', () => 'ok')] }),
      'agent b: tools: code.refund needs approval; set approvals: { key } in durable()',
    ],
  ])('refuses %s, and keeps nothing of that agent', async (_, options, fault) => {
    const queue = { ...inProcess({ pauseMs: 1 }), kind: 'pubsub' as const };
    const agents = open({ model: scripted(done), queue });
    agents.agent({
      name: 'a',
      instructions: 'Help.',
      tools: [look('1'), engine.mcp('https://one.example/', { name: 'docs' })],
    });
    expect(() => agents.agent({ name: 'b', instructions: 'Help.', ...options() })).toThrow(fault);
    const corrected = agents.agent({ name: 'b', instructions: 'Help.', tools: [] });
    expect((await agents.result(await agents.start(corrected, { input: 'Go.' }))).text).toBe('Done.');
  });

  it('shares nothing with another engine of the process', async () => {
    const secret = 'hunter-22-hunter';
    const model = scripted(call('look'), { text: `Done with ${secret}.` });
    const [one, two] = [{ secrets: [secret] }, {}].map((options) => open({ model, ...options }));
    const [here, there] = [one, two].map((agents, index) => {
      const own = tool({ name: 'look', version: '1', input: z.object({}), run: () => `of engine ${index}` });
      return agents?.agent({ name: 'one', instructions: 'Work.', tools: [own] });
    });
    if (!one || !two || !here || !there) throw new Error('two engines');
    const runs = [
      await one.start(here, { input: 'Go.' }, { id: 'a' }),
      await two.start(there, { input: 'Go.' }, { id: 'b' }),
    ];
    expect((await one.result('a')).text).toMatch(/^Done with \[masked/);
    expect((await two.result('b')).text).toBe(`Done with ${secret}.`);
    expect(read(await collect(one.events('a')))).toContain('tool_result: of engine 0');
    expect(read(await collect(two.events('b')))).toContain('tool_result: of engine 1');
    expect(runs.map(({ id }) => id)).toEqual(['a', 'b']);
    expect((await one.list()).runs.map(({ id }) => id)).toEqual(['a']);
    await expect(one.result('b')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
    await expect(one.start(there, { input: 'Go.' })).rejects.toMatchObject({ code: 'CONFIG_UNKNOWN_AGENT' });
  });

  it('describes its deployment', () => {
    const { manifest } = open({ queue: pubsub('steps', { projectId: 'demo-x' }), model: scripted(done) });
    expect(manifest.topics).toEqual(['steps', 'steps-dead']);
    expect(manifest.subscriptions.map(({ topic, handler }) => [topic, handler])).toEqual([
      ['steps', 'work'],
      ['steps-dead', 'bury'],
    ]);
    expect(manifest.indexes.fieldOverrides).toContainEqual({
      collectionGroup: 'executions',
      fieldPath: 'expireAt',
      ttl: true,
      indexes: [],
    });
    expect(() => open().manifest).toThrow('manifest: the queue has no topic; use pubsub(topic)');
  });

  it('ends a wait by its signal', async () => {
    const agents = open({ model: scripted(done), queue: { ...inProcess(), deliverTo: () => {} } });
    const agent = agents.agent({ name: 'one', instructions: 'Work.' });
    const run = await agents.start(agent, { input: 'Go.' });
    const stop = new AbortController();
    const waits = Promise.allSettled([
      agents.result(run, { signal: stop.signal }),
      collect(agents.events(run, { signal: stop.signal })),
    ]);
    stop.abort(new Error('enough'));
    for (const one of await waits)
      expect(one).toMatchObject({ status: 'rejected', reason: { message: 'enough' } });
    await expect(agents.result('unknown')).rejects.toMatchObject({ code: 'SESSION_UNKNOWN' });
  });
});

describe('a tool in code', () => {
  it('runs read-only calls in parallel, and again after a RetryableError', async () => {
    const both: Turn = { toolCalls: [{ name: 'code.meet' }, { name: 'code.meet', args: { n: 2 } }] };
    const agents = open({ model: scripted(both, done) });
    let attempts = 0;
    let met = (): void => {};
    const meeting = new Promise<void>((resolve) => (met = resolve));
    const meet = tool({
      name: 'meet',
      version: '1',
      input: z.object({ n: z.number().optional() }),
      async run({ n = 1 }) {
        if (n === 2 && ++attempts === 1)
          throw new RetryableError('SOURCE_UNAVAILABLE', 'busy', { retryAfterMs: 1 });
        // Each call waits for the other one.
        if (n === 2) met();
        await meeting;
        return { n };
      },
    });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [meet] });
    const run = await agents.start(agent, { input: 'Go.' });
    const events = await collect(agents.events(run));
    const results = events.filter(({ eventType }) => eventType === 'tool_result');
    expect(results.map(({ content }) => content).sort()).toEqual(['{"n":1}', '{"n":2}']);
    expect(attempts).toBe(2);
  });

  it.each([
    ['an answer', () => ({ ok: true }), '{"ok":true}'],
    ['nothing', () => {}, 'Done.'],
    [
      'a RetryableError',
      () => Promise.reject(new RetryableError('SOURCE_UNAVAILABLE', 'the shop is closed')),
      'Not executed, nothing happened: the shop is closed',
    ],
    [
      'another error',
      () => Promise.reject(new Error('socket closed')),
      'Outcome unknown: refund started and failed: socket closed. Verify whether it took effect before you rely on it or call it again.',
    ],
    [
      'no answer in time',
      () => new Promise(() => {}),
      'Outcome unknown: refund started and failed: no answer within 30 ms. Verify whether it took effect before you rely on it or call it again.',
    ],
  ])('that changes something and gives %s runs once', async (_, result, content) => {
    const agents = open({ model: scripted(call('refund', { cents: 5 }), done) });
    const keys: string[] = [];
    const refund = tool({
      name: 'refund',
      version: '1',
      input: z.object({ cents: z.number() }),
      changes: true,
      timeoutMs: 30,
      run: (_input, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        return result();
      },
    });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [refund] });
    const run = await agents.start(agent, { input: 'Go.' }, { id: 'r1' });
    expect(read(await collect(agents.events(run)))).toContain(`tool_result: ${content}`);
    expect(keys).toEqual(['r1/01-one/1/0']);
  });

  it('is described with the fields that a model has to write', () => {
    const input = z.object({ cents: z.number(), currency: z.string().default('EUR') });
    const { definition } = tool({ name: 'pay', version: '1', input, run: () => 'paid' });
    expect(definition.inputSchema).toMatchObject({ required: ['cents'] });
  });

  it('does not run for a call that is aborted already', async () => {
    let runs = 0;
    const count = tool({
      name: 'count',
      version: '1',
      input: z.object({}),
      changes: true,
      run: () => ++runs,
    });
    const limits = { timeoutMs: 60_000, maxResultBytes: 1_000, traceparent: null };
    const signal = AbortSignal.abort(new Error('lost'));
    const given = { ...limits, signal, idempotencyKey: 'a', mask: (text: string) => ({ text, count: 0 }) };
    const aborted = count.call({ callId: 'a', name: 'code.count', arguments: '{}' }, given);
    await expect(aborted).rejects.toThrow('lost');
    expect(runs).toBe(0);
  });

  it('waits for approval, and runs once after it', async () => {
    const agents = open({ model: scripted(call('refund', { cents: 5 }), done) });
    let calls = 0;
    const refund = approved('1', () => `refunded ${++calls}`);
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [refund] });
    const { id } = await agents.start(agent, { input: 'Go.' });
    const notice = await awaitNotice(agents, id, 'approval_requested');
    const approve = /[a-z0-9]{5}-[a-z0-9]{5}/.exec(JSON.stringify(notice.metadata))?.[0] ?? '';
    expect(calls).toBe(0);
    await expect(agents.signal(id, { approve: 'aaaaa-aaaaa', by: 'ann' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
    expect(await agents.signal(id, { approve, by: 'ann' })).toEqual({ kind: 'decided' });
    expect(await agents.signal(id, { deny: approve, by: 'bob' })).toEqual({ kind: 'already_decided' });
    expect(await agents.result(id)).toMatchObject({ status: 'completed', text: 'Done.' });
    expect(calls).toBe(1);
  });

  it('that has changed since it was offered is not called, and its run gets a notice', async () => {
    const store = memory();
    const model = scripted(call('refund', { cents: 5 }), done);
    let calls = 0;
    const first = open({ store, model });
    const run = await first.start(
      first.agent({ name: 'one', instructions: 'Work.', tools: [approved('1', () => ++calls)] }),
      { input: 'Go.' },
    );
    const notice = await awaitNotice(first, run.id, 'approval_requested');
    const approve = /[a-z0-9]{5}-[a-z0-9]{5}/.exec(JSON.stringify(notice.metadata))?.[0] ?? '';
    const second = open({ store, model });
    second.agent({ name: 'one', instructions: 'Work.', tools: [approved('2', () => ++calls)] });
    await second.signal(run, { approve, by: 'ann' });
    expect((await second.result(run)).status).toBe('completed');
    const events = await collect(second.events(run));
    expect(events.flatMap((one) => (one.eventType === 'notice' ? [one.metadata.code] : []))).toContain(
      'tool_changed',
    );
    expect(calls).toBe(0);
  });

  it('that the program no longer has is not called, and its run gets a notice', async () => {
    const store = memory();
    const model = scripted(call('refund', { cents: 5 }), call('look'), done);
    let calls = 0;
    const instructions = 'Work.';
    const first = open({ store, model });
    const refund = approved('1', () => ++calls);
    const run = await first.start(first.agent({ name: 'one', instructions, tools: [refund, look('1')] }), {
      input: 'Go.',
    });
    const notice = await awaitNotice(first, run.id, 'approval_requested');
    const approve = /[a-z0-9]{5}-[a-z0-9]{5}/.exec(JSON.stringify(notice.metadata))?.[0] ?? '';
    const second = open({ store, model });
    second.agent({ name: 'one', instructions, tools: [look('1')] });
    await second.signal(run, { approve, by: 'ann' });
    expect((await second.result(run)).status).toBe('completed');
    const events = await collect(second.events(run));
    const notices = events.flatMap((one) => (one.eventType === 'notice' ? [one.metadata] : []));
    expect(notices).toContainEqual(expect.objectContaining({ code: 'tool_changed', subject: 'code.refund' }));
    const results = read(events).filter((line) => line.startsWith('tool_result'));
    expect(results).toHaveLength(2);
    expect(results[0]).toContain('code.refund');
    expect(results[1]).toBe('tool_result: seen');
    expect(calls).toBe(0);
  });

  it('that only reads answers with its error after three attempts', async () => {
    const agents = open({ model: scripted(call('busy'), done) });
    let attempts = 0;
    const busy = tool({
      name: 'busy',
      version: '1',
      input: z.object({}),
      run() {
        attempts++;
        throw new RetryableError('SOURCE_UNAVAILABLE', 'the shop is busy', { retryAfterMs: 1 });
      },
    });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [busy] });
    const run = await agents.start(agent, { input: 'Go.' });
    expect(read(await collect(agents.events(run)))).toContain('tool_result: the shop is busy');
    expect(attempts).toBe(3);
  });

  it('of an agent that a program does not register leaves the run to newer code', async () => {
    const store = memory();
    const model = scripted(done);
    const idle = { ...inProcess(), deliverTo: () => {} };
    const first = open({ store, model, queue: idle });
    const run = await first.start(first.agent({ name: 'one', instructions: 'Work.' }), { input: 'Go.' });
    const [message] = idle.published;
    const body = { message: { messageId: '1', data: message?.data.toString('base64') } };
    const second = open({ store, model, queue: { ...inProcess(), deliverTo: () => {} } });
    second.agent({ name: 'other', instructions: 'Work.' });
    expect(await answer(second.handlers.work, body)).toEqual({
      status: 503,
      body: { error: expect.stringContaining('does not register the agent one') },
    });
    expect(await answer(first.handlers.work, body)).toEqual({ status: 200, body: {} });
    expect(await first.result(run)).toMatchObject({ status: 'completed', text: 'Done.' });
  });
});

describe('a signal', () => {
  it('pauses, resumes, tells and cancels a run', async () => {
    const agents = open({ model: scripted(call('refund', { cents: 5 }), done) });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [approved('1', () => 'ok')] });
    const { id } = await agents.start(agent, { input: 'Go.' });
    await awaitNotice(agents, id, 'approval_requested');
    const by = 'ann';
    const kinds = [
      await agents.signal(id, { pause: true, by }),
      await agents.signal(id, { tell: 'Hurry.', by }),
      await agents.signal(id, { resume: true, by }),
      await agents.signal(id, { cancel: true, by, reason: 'enough' }),
      await agents.signal(id, { cancel: true, by }),
    ];
    expect(kinds.map(({ kind }) => kind)).toEqual([
      'paused',
      'told',
      'resumed',
      'cancelled',
      'already_ended',
    ]);
    expect(await agents.result(id)).toMatchObject({ status: 'cancelled', text: null });
    expect(read(await collect(agents.events(id)))).toContain('notice: Cancelled by ann: enough');
  });

  it('denies a call with the reason of a person, and needs to know who that is', async () => {
    const agents = open({ model: scripted(call('refund', { cents: 5 }), done) });
    const agent = agents.agent({ name: 'one', instructions: 'Work.', tools: [approved('1', () => 'ok')] });
    const { id } = await agents.start(agent, { input: 'Go.' });
    const notice = await awaitNotice(agents, id, 'approval_requested');
    const { approvalId = '' } = notice.metadata as { approvalId?: string };
    await expect(agents.signal(id, { deny: approvalId, by: ' ' })).rejects.toThrow('by: is empty');
    await expect(agents.signal(id, { tell: ' ', by: 'ann' })).rejects.toThrow('tell: ');
    expect(await agents.signal(id, { deny: approvalId, by: 'ann', reason: 'too much' })).toEqual({
      kind: 'decided',
    });
    await agents.result(id);
    expect(read(await collect(agents.events(id))).join('\n')).toMatch(/too much/);
  });
});

/** A tool that only reads. */
const look = (version: string) => tool({ name: 'look', version, input: z.object({}), run: () => 'seen' });

/** A tool that needs approval. */
const approved = (version: string, run: () => unknown) =>
  tool({
    name: 'refund',
    version,
    input: z.object({ cents: z.number() }),
    changes: true,
    approval: 'required',
    run,
  });

async function answer(
  handler: (request: { body: unknown }, response: HandlerResponse) => Promise<void>,
  body: unknown,
): Promise<{ status: number; body: unknown }> {
  const given = { status: 0, body: undefined as unknown };
  const response: HandlerResponse = {
    status(code) {
      given.status = code;
      return response;
    },
    json: (value) => (given.body = value),
  };
  await handler({ body }, response);
  return given;
}
