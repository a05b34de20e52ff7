import { expect, it } from 'vitest';
import type { ExecutionView, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { describeNow } from './sentences.ts';

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
