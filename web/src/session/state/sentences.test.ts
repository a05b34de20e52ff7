import { expect, it } from 'vitest';
import type { ExecutionView, SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { describeEvent, describeNow, listExecutions } from './sentences.ts';

const execution = {
  executionId: 'a',
  agentName: 'logs',
  status: 'active',
  parentExecutionId: null,
  startedAt: '2026-11-28T18:20:00.000Z',
  openCalls: [],
  iteration: 2,
  maxIterations: 20,
  waitsForModelSince: null,
} as unknown as ExecutionView;

const view = (changes: Partial<ExecutionView>) =>
  ({
    status: 'in_progress',
    approvals: [],
    steering: { paused: null },
    deferral: null,
    stages: [{ executions: [{ ...execution, ...changes }] }],
  }) as unknown as SessionView;

it('the current activity names since when an agent waits for its model, instead of a call', () => {
  expect(describeNow(view({}), 0).lead).toBe('logs is calling the model (iteration 2).');
  const waits = view({ waitsForModelSince: '2026-11-28T18:24:05.000Z' });
  expect(describeNow(waits, 0).lead).toBe('logs has been waiting for the model since 18:24:05.');
});

const AT = Date.parse('2026-11-28T18:21:00.000Z');
const of = (changes: object, ...executions: Partial<ExecutionView>[]) =>
  ({
    ...view({}),
    stages: [{ executions: executions.map((one) => ({ ...execution, ...one })) }],
    ...changes,
  }) as unknown as SessionView;
const other = { executionId: 'b', agentName: 'metrics' };
const ended = { ...other, status: 'completed' } as const;
const asked = { agentName: 'logs', toolName: 'k.restart' };
const approvals = [
  { ...asked, status: 'approved' },
  { ...asked, status: 'pending', toolName: 'k.scale' },
];

it.each([
  [
    'deferred',
    of({ status: 'deferred', deferral: { reason: 'quiet hours', until: '2026-11-29T06:00:00Z' } }),
    'Not started. Deferred: quiet hours. Starts automatically at 06:00 UTC.',
  ],
  [
    'deferred by a budget',
    of({ status: 'deferred', deferral: { reason: 'full', until: null, budgets: ['day'] } }),
    'Not started. Deferred: full. Starts automatically when the budget has room.',
  ],
  [
    'deferred until a person starts it',
    of({ status: 'deferred', deferral: { reason: 'full', until: null, budgets: null } }),
    'Not started. Deferred: full.',
  ],
  ['deferred without a reason', of({ status: 'deferred' }), 'Not started. Deferred: unknown reason.'],
  ['cancelling', of({ status: 'cancelling', approvals }, {}), 'Cancelling. Running calls finish first.'],
  ['waits', of({ approvals }, {}), 'Waiting for approval. logs requests to run scale.'],
  [
    'paused',
    of({ steering: { paused: { by: 'kim', at: '2026-11-28T18:20:00.000Z' } } }, {}),
    'Paused by kim, 1 min ago. The deadline does not change.',
  ],
  ['in_progress', of({}), 'Waiting for a function. The next stage starts.'],
  ['in_progress', of({}, ended), 'Waiting for a function. The next stage starts.'],
  [
    'in_progress',
    of({}, {}),
    'logs is calling the model (iteration 2). Running for 1 min, at most 20 iterations.',
  ],
  ['in_progress', of({}, { startedAt: null }), 'logs is waiting for a function. '],
  [
    'in_progress',
    of({}, { status: 'pending' }),
    'logs is waiting for a function. Running for 1 min, at most 20 iterations.',
  ],
  ['in_progress', of({}, {}, ended), 'logs is calling the model (iteration 2). metrics finished.'],
  [
    'in_progress',
    of({}, {}, { ...ended, parentExecutionId: 'a' }),
    'logs is calling the model (iteration 2). Running for 1 min, at most 20 iterations.',
  ],
  [
    'in_progress',
    of({}, { openCalls: ['k.logs', 'k.logs', 'm.query'].map((name) => ({ name })) as never }, other),
    '2 agents are running. logs is waiting for logs, query. metrics is calling the model (iteration 2).',
  ],
])('the current activity of a session: %s %#', (status, session, text) => {
  const { lead, rest } = describeNow(session, AT);
  const shown = describeNow(session, AT).status;
  expect([status.replace(/ .*/, ''), `${lead} ${rest}`]).toEqual([shown, text]);
});

it('names only the agents of the same stage as finished', () => {
  const two = of({}, ended);
  two.stages.push({ executions: [execution] } as never);
  expect(describeNow(two, AT).rest).toContain('Running for 1 min');
  expect(listExecutions(two).map(({ agentName }) => agentName)).toEqual(['metrics', 'logs']);
  expect(listExecutions(undefined)).toEqual([]);
});

it.each([
  ['llm_tool_call', 'a', 3, of({}, {}), 'logs, iteration 3: called a tool (get_logs)'],
  ['mcp_tool_call', 'a', 3, of({}, {}), 'logs, iteration 3: called a tool (get_logs)'],
  ['tool_result', 'a', 3, of({}, {}), 'logs, iteration 3: received a result (get_logs)'],
  ['mcp_tool_summary', 'a', 3, of({}, {}), 'logs, iteration 3: summarized a result (get_logs)'],
  ['llm_response', 'b', null, of({}, {}, other), 'Agent B: responded'],
  ['brand_new', 'c', null, of({}, {}), 'The session: brand new'],
  ['notice', 'a', null, undefined, 'The session: recorded a notice'],
])('an event is a sentence: %s %s', (eventType, executionId, iteration, session, text) => {
  const event = { eventType, executionId, iteration, metadata: { toolName: 'k.get_logs' } };
  expect(describeEvent(event as TimelineEvent, session)).toBe(text);
});
