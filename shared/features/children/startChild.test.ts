import { describe, expect, it } from 'vitest';
import {
  SAMPLE_NONCE,
  SAMPLE_TIME,
  sampleAgent,
  sampleExecution,
  samplePendingCall,
} from '../../../test/support/samples.ts';
import { startBatch } from '../../core/kernel/conversation/executionBatch.ts';
import { readDue } from '../../core/kernel/state/dueAt.ts';
import type { AgentSnapshot, PlannedAgent } from '../../core/schema/agent.ts';
import type { Execution, PendingCall } from '../../core/schema/execution.ts';
import type { Message } from '../../core/schema/message.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { INQUEST_WORDING } from '../../wording/inquest.ts';
import { readAskArguments } from './askArguments.ts';
import type { ChildPlan } from './planChildren.ts';
import { startChild } from './startChild.ts';

const HOUR = 3_600_000;
const logs = sampleAgent({ name: 'logs', tools: ['loki'] });
const pending = samplePendingCall({ name: 'ask_agent', waits: 'child', childExecutionId: '01-kubernetes~1' });
const waiting = (index: number): PendingCall =>
  samplePendingCall({
    index,
    state: 'waiting',
    waits: 'child',
    waitsFor: { kind: 'child', id: `01-kubernetes~${index}`, until: SAMPLE_TIME },
  });

interface Asked {
  execution?: Partial<Execution>;
  plan?: Partial<ChildPlan>;
  args?: Record<string, unknown>;
  /** Milliseconds until the asking agent's deadline. */
  leftMs?: number;
  call?: PendingCall;
}

/** What becomes of a call that asks `logs`, an hour before the deadline. */
function ask({
  execution: changes = {},
  plan: planned = {},
  args = {},
  leftMs = HOUR,
  call: asking = pending,
}: Asked = {}) {
  const deadline = new Date(SAMPLE_TIME.getTime() + leftMs);
  const execution = sampleExecution({ pendingCalls: [asking], deadline, ...changes });
  const plan: ChildPlan = {
    asker: 'kubernetes',
    asks: ['logs'],
    agents: { logs, other: logs },
    existing: 0,
    alertText: 'Disk full',
    labels: { namespace: 'shop' },
    dataNonce: SAMPLE_NONCE,
    maskKey: '0123456789abcdef0123456789abcdef',
    wording: INQUEST_WORDING,
    ...planned,
  };
  const call = {
    callId: 'call-1',
    name: 'ask_agent',
    arguments: JSON.stringify({ agent_name: 'logs', input_text: 'Since when?', ...args }),
  };
  const batch = startBatch(execution, SAMPLE_TIME);
  const after = startChild(execution, asking, call, plan, batch);
  const valueAt = (path: string) => batch.writes.find((write) => write.path.endsWith(path))?.value;
  const settled = after.pendingCalls.find(({ index }) => index === 0);
  const until = settled?.waitsFor?.until.getTime();
  return {
    state: settled?.state,
    waitMs: until && until - SAMPLE_TIME.getTime(),
    child: valueAt('executions/01-kubernetes~1') as Execution | undefined,
    snapshot: valueAt('agentSnapshots/01-kubernetes~1') as AgentSnapshot | undefined,
    answer: JSON.stringify(batch.messages.find(({ message }) => message.role === 'tool')?.message.blocks),
    /** The messages that the agent starts with, and its first event. */
    messages: batch.writes
      .filter(({ path }) => path.includes('/messages/01-kubernetes~1.'))
      .map(({ value }) => value as Message),
    event: valueAt('timeline/01-kubernetes~1.000001') as TimelineEvent | undefined,
    others: after.pendingCalls.filter(({ index }) => index !== 0),
  };
}

describe('an agent that is asked', () => {
  it('has five minutes, or the time that the call asks for, and leaves a minute to the asking agent', () => {
    expect(ask()).toMatchObject({ state: 'waiting', waitMs: 300_000 });
    expect(ask({ args: { timeout: 60 } })).toMatchObject({ state: 'waiting', waitMs: 60_000 });
    expect(ask({ leftMs: 200_000 })).toMatchObject({ state: 'waiting', waitMs: 140_000 });
    expect(ask({ leftMs: 90_000 })).toMatchObject({ state: 'waiting', waitMs: 30_000 });
    expect(ask({ leftMs: 89_999 })).toMatchObject({ state: 'done', child: undefined });
  });

  it('works below the one that asks, with its own limits and the budgets and deadline of its call', () => {
    const dailyTokens = [{ chain: null, limit: 9_000 }];
    const limits = { ...sampleAgent().limits, maxIterations: 7, sessionTokens: 5_000, dailyTokens };
    const execution = { limits, ancestors: ['first'], depth: 1, guidanceTaken: 3, collects: true };
    const { child, snapshot } = ask({ execution: { ...execution, budgetReached: 'sessionTokens' } });
    expect(child).toMatchObject({
      parentExecutionId: '01-kubernetes',
      ancestors: ['first', 'kubernetes'],
      depth: 2,
      limits: { ...logs.limits, sessionTokens: 5_000, dailyTokens },
      budgetReached: 'sessionTokens',
      guidanceTaken: 0,
      collects: false,
      deadline: new Date(SAMPLE_TIME.getTime() + 300_000),
    });
    const dueMs = Number(child && readDue(child)) - SAMPLE_TIME.getTime();
    expect(dueMs).toBeGreaterThan(30_000);
    expect(dueMs).toBeLessThanOrEqual(60_000);
    expect(snapshot?.labels).toEqual({ namespace: 'shop' });
  });

  it('is one more of the agents that share a budget, and waits beside the other calls', () => {
    const done = samplePendingCall({ index: 2, state: 'done', waits: 'child' });
    const person = { ...waiting(3), waits: 'person' as const };
    const calls = [pending, waiting(1), done, person];
    const { child, others } = ask({ execution: { siblings: 2, tokensBefore: 70, pendingCalls: calls } });
    expect([child?.siblings, child?.tokensBefore]).toEqual([3, 70]);
    expect(others).toEqual(calls.slice(1));
    expect(ask({ execution: { siblings: 0, pendingCalls: [pending] } }).child?.siblings).toBe(1);
    const eight = Array.from({ length: 8 }, (_, index) => ({
      ...waiting(index + 1),
      waits: 'person' as const,
    }));
    expect(ask({ execution: { pendingCalls: [pending, ...eight] } }).state).toBe('waiting');
  });

  it('is the one that its call overrides, without the limits of its file', () => {
    const override = { ...logs, tools: ['loki', 'tempo'] };
    const { snapshot, child } = ask({ plan: { overrides: new Map([['call-1', override]]) } });
    const { limits: _, ...agent } = override;
    expect(snapshot).toEqual({
      ...{
        sessionId: child?.sessionId,
        executionId: '01-kubernetes~1',
        agent,
        labels: { namespace: 'shop' },
      },
      ...{ dataNonce: SAMPLE_NONCE, maskKey: '0123456789abcdef0123456789abcdef' },
      ...{ expireAt: child?.expireAt, createdAt: SAMPLE_TIME },
    });
    expect(ask({ plan: { overrides: new Map([['call-2', override]]) } }).snapshot?.agent.tools).toEqual([
      'loki',
    ]);
  });

  it('starts with the question, and in a chat with the questions before it', () => {
    const { messages, event, child } = ask();
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(JSON.stringify(messages[1]?.blocks)).toContain('Since when?');
    expect(event).toMatchObject({
      eventType: 'task_assigned',
      content: 'Since when?',
      metadata: { agentName: 'logs', childExecutionId: '01-kubernetes~1' },
    });
    expect(child).toMatchObject({ lastMessage: 2, lastEvent: 1 });
    const exchanges = [{ key: '1', question: 'Why?', answer: 'Because.' }] as never;
    const chat = { question: 'And now?', exchanges, userId: null, isDirect: false };
    const asked = ask({ plan: { chat } }).messages;
    expect(asked.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user', 'user']);
    for (const [index, text] of ['Why?', 'Because.', 'And now?', 'Since when?'].entries())
      expect(JSON.stringify(asked[index + 1]?.blocks)).toContain(text);
  });

  it('is given no labels without tools that they could be bound to', () => {
    const { snapshot } = ask({ plan: { agents: { logs: { ...logs, tools: [] } } } });
    expect(snapshot?.labels).toEqual({});
  });
});

describe('no agent is asked, and the call has an answer that names the reason,', () => {
  const agents = { logs, other: logs } satisfies Record<string, PlannedAgent>;
  it.each<[string, Asked, string]>([
    ['for an agent that is not listed', { args: { agent_name: 'other' } }, 'cannot ask an agent'],
    ['for one that is configured no more', { plan: { agents: {} } }, 'cannot ask an agent'],
    [
      'for a name that every object has',
      { args: { agent_name: 'constructor' }, plan: { asks: ['constructor'], agents } },
      'cannot ask an agent',
    ],
    ['without a name', { args: { agent_name: ' ' } }, 'agent_name'],
    ['without a text', { args: { input_text: ' ' } }, 'input_text'],
    ['for a question of over 32,000 bytes', { args: { input_text: 'x'.repeat(32_001) } }, '32000 at most'],
    ['for a time that is too short', { args: { timeout: 1 } }, 'timeout'],
    ['for a time that is no whole number', { args: { timeout: 60.5 } }, 'timeout'],
    ['for a time that is a text', { args: { timeout: '60' } }, 'timeout'],
    ['for itself', { plan: { asker: 'logs' } }, 'waits for your own answer'],
    ['for one above', { execution: { ancestors: ['logs'], depth: 1 } }, 'waits for your own answer'],
    ['below three agents', { execution: { depth: 3 } }, 'no longer chain'],
    [
      'beside eight agents that work already',
      { execution: { pendingCalls: [pending, ...[1, 2, 3, 4, 5, 6, 7, 8].map(waiting)] } },
      '8 agents work',
    ],
    ['by a session that has asked 32 agents', { plan: { existing: 32 } }, '32 are allowed'],
    [
      'by a session that asks the 32nd in this batch',
      { plan: { existing: 31 }, execution: { pendingCalls: [pending, waiting(1)] } },
      '32 are allowed',
    ],
  ])('%s', (_, asked, reason) => {
    const { state, child, answer } = ask(asked);
    expect([state, child]).toEqual(['done', undefined]);
    expect(answer).toContain(reason);
  });

  it('with the agents that it can ask beside the refused one', () => {
    const other = { agent_name: 'other' };
    expect(ask({ args: other }).answer).toContain('Agents that you can ask: logs.');
    expect(ask({ args: other, plan: { asks: [] } }).answer).toContain('Agents that you can ask: none.');
    expect(ask({ plan: { asks: ['logs', 'db'], agents: {} } }).answer).toContain('you can ask: db.');
    expect(ask({ args: { agent_name: '' } }).answer).toContain('Agents that you can ask: logs.');
    expect(ask({ args: { input_text: '' } }).answer).not.toContain('Agents that you can ask');
  });

  it('for a call without a number for its agent', () => {
    const { childExecutionId: _, ...numberless } = pending;
    expect(ask({ call: numberless })).toMatchObject({ state: 'done', child: undefined });
    expect(ask({ call: numberless }).answer).toContain('has no number');
  });

  it('but up to each of these limits one is', () => {
    const seven = [1, 2, 3, 4, 5, 6, 7].map(waiting);
    expect(ask({ args: { input_text: 'x'.repeat(32_000) } }).state).toBe('waiting');
    expect(ask({ execution: { depth: 2 } }).state).toBe('waiting');
    expect(ask({ execution: { pendingCalls: [pending, ...seven] } }).state).toBe('waiting');
    expect(ask({ plan: { existing: 31 } }).state).toBe('waiting');
  });
});

const ASKED = { agent_name: 'logs', input_text: 'Since when?' };
it.each<[object, object]>([
  [{}, {}],
  [{ input_data: { a: 1 } }, { text: 'Since when?\n\nInput data: {"a":1}' }],
  [{ input_data: null, timeout_seconds: null, structured_output_override: null }, {}],
  [{ timeout_seconds: 30 }, { seconds: 30 }],
  [{ timeout_seconds: 3_600, timeout: 60 }, { seconds: 3_600 }],
  [{ timeout: 60, user_id: 'ana' }, { seconds: 60 }],
  [{ structured_output_override: true }, { structuredOutput: true }],
  [{ structured_output_override: false }, { structuredOutput: false }],
])('the arguments %j are read', (given, read) => {
  expect(readAskArguments(JSON.stringify({ ...ASKED, ...given }))).toEqual({
    ...{ name: 'logs', text: 'Since when?', seconds: 300, structuredOutput: null },
    ...read,
  });
});

it.each([
  [{ agents: ['logs'] }, 'There is no argument "agents"'],
  [{ agent_name: 7 }, '"agent_name" is missing.'],
  [{ input_text: ['a'] }, '"input_text" must be a text'],
  [{ timeout_seconds: 29 }, '"timeout_seconds" must be a whole number'],
  [{ timeout_seconds: 3_601 }, '"timeout_seconds" must be a whole number'],
  [{ timeout: 29 }, '"timeout" must be a whole number'],
  [{ structured_output_override: 'yes' }, '"structured_output_override" must be true, false or null.'],
])('the arguments %j are refused', (given, error) => {
  expect(readAskArguments(JSON.stringify({ ...ASKED, ...given }))).toEqual({
    error: expect.stringContaining(error),
    ...('agent_name' in given && { isName: true }),
  });
});
