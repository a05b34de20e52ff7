import { describe, expect, it } from 'vitest';
import { sampleExecution } from '../../../test/support/samples.ts';
import { MAX_FINDINGS_BYTES } from '../prompts/findings.ts';
import type { Failure } from '../schema/common.ts';
import type { Execution } from '../schema/execution.ts';
import { combinedAnalysis, stageOutcome } from './stageOutcome.ts';

const failure: Failure = { code: 'MODEL_BLOCKED', message: 'blocked' };
const ended = (status: Execution['status'], name = 'logs') =>
  sampleExecution({
    status,
    agentName: name,
    failure: status === 'completed' ? null : failure,
    finalAnalysis: status === 'completed' ? `${name}: memory` : null,
    tokens: { input: 10, output: 2, thinking: 1, cached: 0, total: 13 },
    cost: { usd: 0.25, unpricedCalls: 1 },
  });

describe('stageOutcome', () => {
  it.each(['pending', 'active'] as const)('is none while an execution is %s', (status) => {
    expect(stageOutcome([ended('completed'), ended(status)])).toBeUndefined();
  });

  it('is none while one below an execution is open', () => {
    expect(stageOutcome([ended('completed')], 'any', [ended('active')])).toBeUndefined();
    expect(stageOutcome([ended('completed')], 'any', [ended('failed')])?.status).toBe('completed');
  });

  it('is none for a stage without executions', () => {
    expect(stageOutcome([])).toBeUndefined();
  });

  it.each([
    ['completed', ['completed', 'failed', 'timed_out']],
    ['cancelled', ['completed', 'cancelled', 'failed']],
    ['timed_out', ['failed', 'timed_out']],
    ['failed', ['failed', 'failed']],
  ] as const)('is %s for %j, in either order', (status, statuses) => {
    const executions = statuses.map((one) => ended(one));
    expect(stageOutcome(executions)?.status).toBe(status);
    expect(stageOutcome(executions.toReversed())?.status).toBe(status);
  });

  it.each([
    ['completed', ['completed', 'completed']],
    ['failed', ['completed', 'failed']],
    ['timed_out', ['completed', 'failed', 'timed_out']],
    ['cancelled', ['completed', 'failed', 'cancelled']],
  ] as const)('is %s for %j when all are needed, in either order', (status, statuses) => {
    const executions = statuses.map((one) => ended(one));
    expect(stageOutcome(executions, 'all')?.status).toBe(status);
    expect(stageOutcome(executions.toReversed(), 'all')?.status).toBe(status);
  });

  it('waits for the others when all are needed and one has failed', () => {
    expect(stageOutcome([ended('failed'), ended('active')], 'all')).toBeUndefined();
  });

  it('names the agent that failed, and keeps the findings of the others, when all are needed', () => {
    const outcome = stageOutcome([ended('completed', 'logs'), ended('failed', 'metrics')], 'all');
    expect(outcome).toMatchObject({
      findings: [{ agent: 'logs' }],
      failure: {
        code: 'MODEL_BLOCKED',
        message:
          'The stage needs the analyses of all its agents (successPolicy: all), and metrics has none: blocked',
      },
    });
    expect(stageOutcome([ended('failed'), ended('failed')], 'all')?.failure).toEqual(failure);
  });

  it('holds the findings of those that completed, in order, and the tokens and costs of all', () => {
    const outcome = stageOutcome([
      ended('completed', 'logs'),
      ended('failed', 'metrics'),
      ended('completed', 'events'),
    ]);
    expect(outcome).toEqual({
      status: 'completed',
      findings: [
        { agent: 'logs', analysis: 'logs: memory', caveats: [] },
        { agent: 'events', analysis: 'events: memory', caveats: [] },
      ],
      results: [
        { agent: 'logs', analysis: 'logs: memory', caveats: [] },
        { agent: 'metrics', analysis: `(no result: ${failure.message})`, caveats: [] },
        { agent: 'events', analysis: 'events: memory', caveats: [] },
      ],
      failure: null,
      tokens: { input: 30, output: 6, thinking: 3, cached: 0, total: 39 },
      cost: { usd: 0.75, unpricedCalls: 3 },
    });
  });

  it('holds the first failure when there is nothing better', () => {
    expect(stageOutcome([ended('failed'), ended('timed_out')])?.failure).toEqual(failure);
  });
});

describe('combinedAnalysis', () => {
  it('is nothing, the one analysis, or all under the names of their agents', () => {
    const finding = (agent: string) => ({ agent, analysis: `${agent}: memory` });
    expect(combinedAnalysis([])).toBeNull();
    expect(combinedAnalysis([finding('logs')])).toBe('logs: memory');
    expect(combinedAnalysis([finding('logs'), finding('events')])).toBe(
      '### logs Analysis\n\nlogs: memory\n\n### events Analysis\n\nevents: memory',
    );
  });

  it('fits the session, however much was found', () => {
    const finding = { agent: 'logs', analysis: 'é'.repeat(MAX_FINDINGS_BYTES) };
    for (const findings of [[finding], [finding, finding, finding]]) {
      expect(Buffer.byteLength(combinedAnalysis(findings) ?? '')).toBeLessThan(MAX_FINDINGS_BYTES + 1_000);
    }
  });
});
