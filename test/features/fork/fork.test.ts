// Forks of sessions: their conversation, their calls, and what they leave alone.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eraseSession } from '../../../cli/erase/erase.ts';
import { readSessionAlert } from '../../../shared/alerts/schema/alert.ts';
import { replaceDocument, type Stored } from '../../../shared/core/contract/store.ts';
import type { ToolSource } from '../../../shared/core/contract/tools.ts';
import { readMessages } from '../../../shared/core/kernel/conversation/conversation.ts';
import { isSigned } from '../../../shared/core/schema/block.ts';
import { rawDocumentType } from '../../../shared/core/schema/documentType.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import type { Session } from '../../../shared/core/schema/session.ts';
import { openFork } from '../../../shared/features/fork/openFork.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { paths, sessionType } from '../../../shared/lists/documents.ts';
import { executionForkPart, forkPart } from '../../../shared/schema/forkPart.ts';
import { createRawDocuments } from '../../../shared/store/firestore/rawDocuments.ts';
import { createToolConnector } from '../../../shared/tools/connectTools.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const call = (name: string, args: Record<string, unknown> = {}) => ({ name: `journal.${name}`, args });

/** Any document, as it is stored. */
const anyType = rawDocumentType as never as typeof sessionType;

/** A question that only the fork's conversation has. */
const SAID = 'The disk was replaced at nine';

/** The answers of the source, and those of a fork that was told more. */
const CONVERSATIONS = [
  {
    when: { question: SAID },
    turns: [
      { toolCalls: [call('look', { at: 2 })] },
      { toolCalls: [call('look', { at: 9 })] },
      { toolCalls: [call('order', { to: 1 })] },
      { text: 'The replaced disk is to blame.' },
    ],
  },
  {
    turns: [
      { toolCalls: [call('look', { at: 1 })] },
      { toolCalls: [call('look', { at: 2 })] },
      { toolCalls: [call('order', { to: 1 })] },
      { text: 'The disk is full.' },
    ],
  },
];

/** An ended session whose write a person approved, and requests about it. */
async function start({ source, ...more }: { source?: ToolSource; [option: string]: unknown } = {}) {
  const file = join(temporaryFolder(), 'journal');
  writeFileSync(file, '');
  const journal = await startJournalServer(file);
  onTestFinished(() => journal.close());
  const api = await startApiBench({
    deadlineMs: 40 * 60_000,
    agent: { tools: ['journal'] },
    chat: {},
    servers: {
      journal: { transport: 'http', url: journal.url, tools: { order: { approval: 'required' } } },
    },
    script: { conversations: CONVERSATIONS },
    ...more,
  } as never);
  if (source !== undefined) api.deps.connectTools = createToolConnector([source], { warn: () => {} });
  const approve = async () => {
    for (const { approvalId, status } of await listApprovals(api.deps.store, api.deps.clock.now()))
      if (status === 'pending')
        await decideApproval(approvalId, { verdict: 'approved', by: 'jane', reason: null }, api.deps);
    await api.drain();
  };
  const sessionId = await api.investigate({ title: 'Disk full', severity: 'critical', fingerprint: 'f1' });
  await approve();
  const { timeline } = await api.read(sessionId);
  const eventAt = (type: string, iteration: number) => {
    const found = timeline.find((one) => one.eventType === type && one.iteration === iteration);
    return `${found?.executionId}.${found?.sequenceNumber}`;
  };
  const fork = (body: object, headers: Record<string, string> = {}, id = sessionId) =>
    api.ask(`/v1/sessions/${id}/forks`, { body, headers });
  const ran = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[0] || []);
  const conversation = async (id: string) => {
    const { value } = await readMessages(api.deps.store, id, '01-investigator');
    return [...(value ?? new Map()).values()];
  };
  return { ...api, sessionId, approve, eventAt, fork, ran, conversation };
}

/** Texts of the results of a session. */
const results = (run: { timeline: { eventType: string; content: string }[] }) =>
  run.timeline.filter(({ eventType }) => eventType === 'tool_result').map(({ content }) => content);

describe('a fork with recorded tools', () => {
  it('continues the conversation up to the event, asks again, and reaches no server', async () => {
    const { fork, eventAt, drain, read, sessionId, ask, ran, approve, conversation, deps } = await start();
    const source = await read(sessionId);
    expect(ran()).toEqual(['look', 'look', 'order']);
    const { status, body } = await fork({ at: eventAt('tool_result', 1), say: SAID });
    expect([status, body]).toEqual([202, { sessionId: expect.any(String) }]);
    await drain();
    const waiting = await read(body.sessionId);
    expect(waiting.session).toMatchObject({ kind: 'fork', status: 'in_progress', tenantId: 'default' });
    expect(results(waiting)).toEqual(['look is done', expect.stringMatching(/^Not recorded: /)]);
    await approve();
    const forked = await read(body.sessionId);
    expect(forked.session).toMatchObject({
      status: 'completed',
      finalAnalysis: 'The replaced disk is to blame.',
    });
    expect(results(forked).at(-1)).toBe('order is done');
    expect(ran()).toEqual(['look', 'look', 'order']);
    const [before, after] = [await conversation(sessionId), await conversation(body.sessionId)];
    const shown = ({ role, blocks, replay }: (typeof before)[number]) => ({ role, blocks, replay });
    expect(after.slice(0, 4).map(shown)).toEqual(before.slice(0, 4).map(shown));
    expect(after[2]?.replay).toBeDefined();
    expect(JSON.stringify(after[4])).toContain(SAID);
    expect(readPart(forkPart, forked.session)).toMatchObject({
      of: sessionId,
      executionId: '01-investigator',
      iteration: 2,
      origins: [sessionId],
    });
    expect(readPart(executionForkPart, forked.executions[0] as never)).toBeDefined();
    // It keeps what the agent has read, and the time until which its source is kept.
    expect(forked.executions[0]?.reads).toEqual(source.executions[0]?.reads);
    expect(forked.session.expireAt).toEqual(source.session.expireAt);
    const { body: compared } = await ask(`/v1/sessions/${body.sessionId}/fork`);
    expect(compared).toMatchObject({
      event: '01-investigator.2',
      source: { sessionId, analysis: 'The disk is full.', calls: 2, notRecorded: 0 },
      fork: { analysis: 'The replaced disk is to blame.', calls: 3, notRecorded: 1 },
      first: {
        source: { text: 'journal.order {"to":1}' },
        fork: { text: 'journal.look {"at":9}' },
      },
    });
    expect(compared.fork.tokens).toBeGreaterThan(0);
    expect((await ask(`/v1/sessions/${sessionId}/fork`)).body.code).toBe('SESSION_STATE');
    expect(
      (await ask(`/v1/sessions/${body.sessionId}/fork`, { headers: { 'x-tenant-id': 'acme' } })).status,
    ).toBe(404);
    // The source is as it was.
    expect(await deps.store.get(paths.session(sessionId), sessionType)).toMatchObject({
      value: source.session,
    });
  });

  it('is no memory and no session of the problem, and sends no messages', async () => {
    const { fork, eventAt, drain, read, sessionId, ask, approve, deps } = await start({
      notify: () => [{ to: 'ops', when: ['ended'], digestMs: null }],
    });
    const known = async (id: string) =>
      (await deps.store.list({ collection: paths.knowledge }, anyType)).filter(({ id: key }) =>
        key.includes(id),
      );
    expect(await known(sessionId)).toHaveLength(1);
    const { body } = await fork({ at: eventAt('tool_result', 1), say: SAID });
    await drain();
    await approve();
    const { session } = await read(body.sessionId);
    expect(session.status).toBe('completed');
    expect(await known(body.sessionId)).toEqual([]);
    expect(readSessionAlert(session)).toMatchObject({ title: 'Disk full', identity: null });
    expect(Object.keys(session.parts).sort()).toEqual(['alert', 'fork', 'list', 'search']);
    const below = (name: string) =>
      deps.store.list({ collection: `${paths.session(body.sessionId)}/${name}` }, anyType);
    expect(await below('deliveries')).toEqual([]);
    expect(
      await deps.store.listIds({
        collection: 'incidents',
        field: 'sessionId',
        oneOf: [body.sessionId],
        limit: 9,
      }),
    ).toEqual([]);
    const merged = await ask(`/v1/sessions/${body.sessionId}/merge`, { body: { into: sessionId } });
    expect(merged.status).toBe(409);
  });

  it('can be forked itself, and the results of both sources answer', async () => {
    const { fork, eventAt, drain, read, sessionId, approve } = await start();
    const first = (await fork({ at: eventAt('tool_result', 1), say: SAID })).body.sessionId;
    await drain();
    await approve();
    const again = (await fork({ at: '01-investigator.3', say: `${SAID}, again` }, {}, first)).body.sessionId;
    await drain();
    const forked = await read(again);
    expect(readPart(forkPart, forked.session)?.origins).toEqual([first, sessionId]);
    expect(results(forked)).toEqual(['look is done', expect.stringMatching(/^Not recorded: /)]);
  });

  it('has a conversation of 5 MB, and the whole results of which it shows a part', async () => {
    const calls = Array.from({ length: 14 }, (_, n) => ({ name: 'logs.read', args: { n } }));
    const source: ToolSource = {
      name: 'logs',
      connect: async () => ({
        tools: [{ name: 'logs.read', description: '', inputSchema: { type: 'object' }, readOnly: true }],
        call: async ({ arguments: args }) => ({
          content: `${args}\n`.repeat(args.includes('13') ? 80_000 : 47_000),
          isError: false,
          timedOut: false,
        }),
        close: async () => {},
      }),
    };
    const said = 'Look again';
    const { fork, drain, read, conversation, sessionId, dieAfterCommits, revive, config, deps } = await start(
      {
        source,
        agent: { tools: ['logs'], limits: { toolResultBytes: 390_000 } },
        script: {
          conversations: [
            {
              when: { question: said },
              turns: [
                { toolCalls: [{ name: 'read_result', args: { id: 'r17', lines: '70000' } }] },
                { text: 'Big.' },
              ],
            },
            { turns: [{ toolCalls: calls }, { text: 'Big.' }] },
          ],
        },
      },
    );
    const before = await conversation(sessionId);
    expect(JSON.stringify(before).length).toBeGreaterThan(5_000_000);
    const at = '01-investigator.2';
    // A death between its batches: the same request continues.
    const request = { at, say: said, tools: 'recorded' as const, by: 'jane', userId: null, key: 'big' };
    dieAfterCommits(4);
    await expect(openFork(sessionId, request, config, deps)).rejects.toThrow('died');
    revive();
    const forked = await openFork(sessionId, request, config, deps);
    const id = forked.kind === 'forked' ? forked.sessionId : forked.kind;
    await drain();
    expect((await conversation(id)).slice(0, 17).map(({ blocks }) => blocks)).toEqual(
      before.slice(0, 17).map(({ blocks }) => blocks),
    );
    const run = await read(id);
    expect(run.session).toMatchObject({ status: 'completed', finalAnalysis: 'Big.' });
    expect(results(run)[0]).toContain('{"n":13}');
    expect((await fork({ at })).status).toBe(202);
  });
});

describe('a fork with live tools', () => {
  it('reads at servers, and changes nothing there even after an approval', async () => {
    const { fork, eventAt, drain, read, ran, approve } = await start();
    const { body } = await fork({ at: eventAt('tool_result', 1), say: SAID, tools: 'live' });
    await drain();
    expect(ran()).toEqual(['look', 'look', 'order', 'look', 'look']);
    await approve();
    const forked = await read(body.sessionId);
    expect(results(forked)).toEqual(['look is done', 'look is done', 'order is done']);
    expect(ran()).toEqual(['look', 'look', 'order', 'look', 'look']);
  });
});

describe('the model and the agent of a fork', () => {
  it('are those of the request: another model gets no signatures, another agent its own instructions', async () => {
    const { fork, eventAt, drain, read, conversation, gemini } = await start();
    const { body } = await fork({ at: eventAt('tool_result', 1), model: 'gemini-9-other' });
    await drain();
    const messages = await conversation(body.sessionId);
    expect(messages[2]).toMatchObject({ role: 'assistant' });
    expect(messages[2]?.replay).toBeUndefined();
    expect(messages[2]?.blocks.some(isSigned)).toBe(false);
    const { agents, executions } = await read(body.sessionId);
    expect(agents[0]?.agent.model.model).toBe('gemini-9-other');
    expect(executions[0]?.signaturesRefusedUpTo).toBe(3);
    const request = JSON.stringify(
      gemini.requests.find((one) => JSON.stringify(one).includes('gemini-9-other')),
    );
    // The documented dummy of a call without a signature.
    expect(request.match(/thoughtSignature":"[^"]+/g)).toEqual([
      `thoughtSignature":"${Buffer.from('skip_thought_signature_validator').toString('base64')}`,
    ]);
  });
});

describe('a request for a fork', () => {
  it('is refused for a session of another tenant, an unknown one, an event of none of its agents, and wrong fields', async () => {
    const { fork, eventAt } = await start();
    const at = eventAt('tool_result', 1);
    expect((await fork({ at }, { 'x-tenant-id': 'acme' })).body.code).toBe('SESSION_UNKNOWN');
    for (const [place, text] of [
      ['nothing', 'it is no event'],
      ['01-investigator.999', 'has no event'],
      ['02-other.1', 'has no event'],
      ['../01-investigator.1', 'it is no event'],
      ['session.1', 'no event'],
    ])
      expect(await fork({ at: place })).toMatchObject({
        status: 400,
        body: { code: 'REQUEST_INVALID', detail: expect.stringContaining(text ?? '') },
      });
    expect((await fork({ at }, {}, 'nosuch')).body.code).toBe('SESSION_UNKNOWN');
    expect((await fork({ at, say: ' ' })).status).toBe(400);
    expect((await fork({ at, say: 'x'.repeat(10_001) })).status).toBe(400);
    expect((await fork({ at, tools: 'all' })).status).toBe(400);
    expect((await fork({ at, agent: 'instructions: 5' })).body.detail).toMatch(/body\.agent/);
  });

  it('masks secrets in its text', async () => {
    const { fork, eventAt, read, conversation } = await start();
    const secret = `ghp_${'a1B2'.repeat(9)}`;
    const { body } = await fork({ at: eventAt('tool_result', 1), say: `the token is ${secret}` });
    const forked = await read(body.sessionId);
    const stored = JSON.stringify([forked, await conversation(body.sessionId)]);
    expect(stored).not.toContain(secret);
    expect(forked.timeline[0]).toMatchObject({ eventType: 'user_guidance', metadata: { masked: 1 } });
  });

  it('opens one fork for each Idempotency-Key, also after a death between its steps', async () => {
    const { fork, eventAt, deps, sessionId, config, dieAfterCommits, revive } = await start();
    const body = { at: eventAt('tool_result', 1) };
    const [one, other] = [
      await fork(body, { 'idempotency-key': 'a' }),
      await fork(body, { 'idempotency-key': 'a' }),
    ];
    expect(other.body).toEqual(one.body);
    expect((await fork(body, { 'idempotency-key': 'b' })).body).not.toEqual(one.body);
    const request = { ...body, tools: 'recorded' as const, by: 'jane', userId: null, key: 'c' };
    dieAfterCommits(1);
    await expect(openFork(sessionId, request, config, deps)).rejects.toThrow('died');
    revive();
    const first = await openFork(sessionId, request, config, deps);
    expect(first).toEqual(await openFork(sessionId, request, config, deps));
    const links = await deps.store.list({ collection: paths.forks(sessionId) }, anyType);
    expect(links).toHaveLength(3);
  });

  it('knows the session of a fork whose place was written again meanwhile', async () => {
    const { eventAt, deps, sessionId, config } = await start();
    const request = { at: eventAt('tool_result', 1), tools: 'recorded' as const, by: 'jane', userId: null };
    let commits = 0;
    const rewritten = ({ path, value, version }: Stored<Session>) =>
      replaceDocument(path, anyType, { ...value, expireAt: new Date(value.expireAt.getTime() + 1) }, version);
    const rewriting: typeof deps = {
      ...deps,
      store: {
        ...deps.store,
        async commit(writes) {
          const [link] = await deps.store.list({ collection: paths.forks(sessionId) }, anyType);
          if (++commits === 2 && link !== undefined) await deps.store.commit([rewritten(link)]);
          return deps.store.commit(writes);
        },
      },
    };
    const keyed = { ...request, key: 'd' };
    await expect(openFork(sessionId, keyed, config, rewriting)).rejects.toThrow('was changed while');
    expect(await openFork(sessionId, keyed, config, deps)).toMatchObject({ kind: 'forked' });
  });

  it('waits until all results of an answer are there, and can be made while the session runs', async () => {
    const bench = await start();
    const running = await bench.publishAlert({ title: 'Disk full again', fingerprint: 'f2' });
    await bench.drain();
    expect((await bench.read(running)).session.status).toBe('in_progress');
    const { status } = await bench.fork({ at: '01-investigator.2' }, {}, running);
    expect(status).toBe(202);
  });
});

describe('erasing a session', () => {
  it('erases its forks, and those of its forks', async () => {
    const { fork, eventAt, drain, approve, sessionId, deps, projectId } = await start();
    const one = (await fork({ at: eventAt('tool_result', 1), say: SAID })).body.sessionId;
    await drain();
    await approve();
    const two = (await fork({ at: '01-investigator.3' }, {}, one)).body.sessionId;
    const raw = createRawDocuments({ projectId, timeoutMs: 60_000 });
    onTestFinished(() => raw.close());
    const erase = () =>
      eraseSession(sessionId, { store: deps.store, raw, dryRun: false, onErased: () => {} });
    await expect(erase()).rejects.toThrow('is running');
    await drain();
    await approve();
    await erase();
    for (const id of [sessionId, one, two]) {
      expect(await deps.store.get(paths.session(id), anyType)).toBeUndefined();
      expect(await raw.collectionIds(paths.session(id))).toEqual([]);
    }
    expect((await fork({ at: eventAt('tool_result', 1) })).status).toBe(404);
  });
});
