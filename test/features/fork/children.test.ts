// Forks of sessions whose agents ask others.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readMessages } from '../../../shared/core/kernel/conversation/conversation.ts';
import { agentSnapshotType } from '../../../shared/core/schema/coreDocuments.ts';
import { readPart } from '../../../shared/core/schema/parts.ts';
import { openFork } from '../../../shared/features/fork/openFork.ts';
import { decideApproval } from '../../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../../shared/kits/views/listApprovals.ts';
import { paths } from '../../../shared/lists/documents.ts';
import { executionForkPart } from '../../../shared/schema/forkPart.ts';
import { startApiBench } from '../../support/apiBench.ts';
import { temporaryFolder } from '../../support/ownConfig.ts';
import { sampleAgent } from '../../support/samples.ts';
import { startJournalServer } from '../../tools/httpServer.ts';

const LEAD = '01-investigator';
const CHILD = `${LEAD}~1`;
const SAID = 'The disk was replaced at nine';
const call = (name: string, args: Record<string, unknown> = {}) => ({ name, args });
const asking = call('ask_agent', { agent_name: 'logs', input_text: 'What do the logs say?' });
const look = (at: number) => call('journal.look', { at });

/** A lead that looks and asks an agent, which looks and orders; what they answer once they are told more. */
const CONVERSATIONS = [
  { name: 'told lead', when: { system: 'You lead.', question: SAID }, turns: [{ text: 'It was replaced.' }] },
  {
    name: 'told logs',
    when: { system: 'You are logs.', question: SAID },
    turns: [{ toolCalls: [look(2)] }, { toolCalls: [look(9)] }, { text: 'The new disk is full.' }],
  },
  {
    name: 'lead',
    when: 'You lead.',
    turns: [{ toolCalls: [look(1), asking] }, { text: 'It was the disk.' }],
  },
  {
    name: 'logs',
    when: 'You are logs.',
    turns: [
      { toolCalls: [look(2)] },
      { toolCalls: [call('journal.order', { to: 1 })] },
      { text: 'The disk is full.' },
    ],
  },
];

/** A session whose asked agent waits for a person. */
async function start() {
  const file = join(temporaryFolder(), 'journal');
  writeFileSync(file, '');
  const journal = await startJournalServer(file);
  onTestFinished(() => journal.close());
  const logs = sampleAgent({
    name: 'logs',
    instructions: 'You are logs.',
    tools: ['journal'],
    nativeTools: ['google_search'],
    combineNativeTools: true,
  });
  const api = await startApiBench({
    deadlineMs: 40 * 60_000,
    agent: { instructions: 'You lead.', tools: ['journal', 'ask_agent'], asks: [{ name: 'logs' }] },
    agents: { logs },
    servers: {
      journal: { transport: 'http', url: journal.url, tools: { order: { approval: 'required' } } },
    },
    script: { conversations: CONVERSATIONS },
  } as never);
  const approve = async () => {
    for (const { approvalId, status } of await listApprovals(api.deps.store, api.deps.clock.now()))
      if (status === 'pending')
        await decideApproval(approvalId, { verdict: 'approved', by: 'jane', reason: null }, api.deps);
    await api.drain();
  };
  const sessionId = await api.investigate({ title: 'Disk full', severity: 'critical', fingerprint: 'f1' });
  const eventAt = async (executionId: string, type: string, iteration: number) => {
    const { timeline } = await api.read(sessionId);
    const found = timeline.find(
      (one) => one.executionId === executionId && one.eventType === type && one.iteration === iteration,
    );
    return `${found?.executionId}.${found?.sequenceNumber}`;
  };
  const fork = async (body: object) => {
    const answer = await api.ask(`/v1/sessions/${sessionId}/forks`, { body });
    await api.drain();
    return answer;
  };
  const ran = () =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => line.split(' ')[0] || []);
  const conversation = async (id: string, executionId: string) => {
    const { value } = await readMessages(api.deps.store, id, executionId);
    return [...(value ?? new Map()).values()].map(({ role, blocks }) => ({ role, blocks }));
  };
  return { ...api, sessionId, approve, eventAt, fork, ran, conversation };
}

const results = (
  run: { timeline: { eventType: string; content: string; executionId: string }[] },
  id: string,
) =>
  run.timeline
    .filter(({ eventType, executionId }) => eventType === 'tool_result' && executionId === id)
    .map(({ content }) => content);

it('an agent that was asked continues alone, from an event of its own, while its asker waits', async () => {
  const { fork, eventAt, read, ran, conversation, sessionId, ask, approve, config, deps } = await start();
  const at = await eventAt(CHILD, 'tool_result', 1);
  const { status, body } = await fork({ at, say: SAID });
  expect(status).toBe(202);
  const forked = await read(body.sessionId);
  expect(forked.session).toMatchObject({ status: 'completed', finalAnalysis: 'The new disk is full.' });
  expect(forked.executions).toMatchObject([
    { executionId: '01-logs', parentExecutionId: null, depth: 0, ancestors: [] },
  ]);
  expect(results(forked, '01-logs')).toEqual(['look is done', expect.stringMatching(/^Not recorded: /)]);
  const source = await conversation(sessionId, CHILD);
  expect((await conversation(body.sessionId, '01-logs')).slice(0, 4)).toEqual(source.slice(0, 4));
  expect(ran()).toEqual(['look', 'look']);
  // The source does not notice, and its asked agent can be forked after its end as well.
  await approve();
  expect((await read(sessionId)).session).toMatchObject({ finalAnalysis: 'It was the disk.' });
  const compared = await ask(`/v1/sessions/${body.sessionId}/fork`);
  expect(compared.body).toMatchObject({
    source: { analysis: 'The disk is full.', calls: 1 },
    fork: { analysis: 'The new disk is full.', notRecorded: 1 },
    first: { source: { text: 'journal.order {"to":1}' }, fork: { text: 'journal.look {"at":2}' } },
  });
  const late = await fork({ at: await eventAt(CHILD, 'final_analysis', 3), say: SAID });
  expect((await read(late.body.sessionId)).session.finalAnalysis).toBe('The new disk is full.');
  const replaced = {
    at,
    agent: sampleAgent({ name: 'new' }),
    tools: 'recorded',
    by: 'jane',
    userId: null,
  } as const;
  expect(await openFork(sessionId, { ...replaced, key: undefined }, config, deps)).toMatchObject({
    kind: 'no_place',
    reason: 'only the agents of stages can be replaced',
  });
});

it('an agent whose asked one still works is forked before its call, which asks again with recorded results', async () => {
  const { fork, eventAt, read, ran, approve, deps } = await start();
  const early = await fork({ at: await eventAt(LEAD, 'tool_result', 1) });
  expect(early.body).toMatchObject({
    code: 'REQUEST_INVALID',
    detail: expect.stringContaining('no result yet'),
  });
  const { body } = await fork({ at: await eventAt(LEAD, 'llm_tool_call', 1), model: 'gemini-9-other' });
  const waiting = await read(body.sessionId);
  const [lead, child] = waiting.executions;
  expect([lead, child]).toMatchObject([
    { executionId: LEAD, status: 'waiting' },
    { executionId: CHILD, status: 'waiting', parentExecutionId: LEAD },
  ]);
  expect(readPart(executionForkPart, child as never)).toEqual(readPart(executionForkPart, lead as never));
  // The tools of the provider read what is not recorded, and the model is that of all agents.
  const snapshot = await deps.store.get(paths.agentSnapshot(body.sessionId, CHILD), agentSnapshotType);
  expect(snapshot?.value.agent).toMatchObject({ nativeTools: [], model: { model: 'gemini-9-other' } });
  expect(results(waiting, CHILD)).toEqual(['look is done']);
  await approve();
  const forked = await read(body.sessionId);
  expect(forked.session).toMatchObject({ status: 'completed', finalAnalysis: 'It was the disk.' });
  // Both approvals were given, and one order reached the server: that of the source.
  expect(ran().sort()).toEqual(['look', 'look', 'order']);
});

it('an agent that was answered keeps the answer, and nobody is asked again', async () => {
  const { fork, eventAt, read, conversation, approve, sessionId } = await start();
  await approve();
  const { body } = await fork({ at: await eventAt(LEAD, 'tool_result', 1), say: SAID });
  const forked = await read(body.sessionId);
  expect(forked.session).toMatchObject({ status: 'completed', finalAnalysis: 'It was replaced.' });
  expect(forked.executions.map(({ executionId }) => executionId)).toEqual([LEAD]);
  const copied = await conversation(body.sessionId, LEAD);
  expect(JSON.stringify(copied)).toContain('The disk is full.');
  expect(copied.slice(0, 5)).toEqual((await conversation(sessionId, LEAD)).slice(0, 5));
});
