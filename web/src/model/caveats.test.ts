// What limits an analysis, in sentences.

import { describe, expect, it } from 'vitest';
import type { ExecutionView, SessionView } from '../../../shared/lists/apiTypes.ts';
import { caveatWords, listResultLimits } from './caveats.ts';
import { shownStatus } from './shownStatus.ts';
import { hasEnded } from './status.ts';

const execution = (agentName: string, part: Partial<ExecutionView> = {}): ExecutionView =>
  ({
    executionId: `01-${agentName}`,
    agentName,
    parentExecutionId: null,
    status: 'completed',
    finalAnalysis: 'found',
    failure: null,
    caveats: [],
    missingServers: [],
    ...part,
  }) as unknown as ExecutionView;

const view = (stages: ExecutionView[][], caveats: SessionView['caveats'] = []): SessionView =>
  ({
    caveats,
    stages: stages.map((executions) => ({ kind: 'investigation', executions })),
  }) as unknown as SessionView;

describe('the limits of a session', () => {
  it('are none when all agents concluded', () => {
    expect(listResultLimits(view([[execution('logs')], [execution('synthesizer')]]))).toEqual([]);
  });

  it('name the limit at which the only agent concluded, once', () => {
    const cut = view(
      [[execution('logs', { caveats: ['BUDGET_REACHED'] })]],
      [{ executionId: '01-logs', code: 'BUDGET_REACHED' }],
    );
    expect(listResultLimits(cut)).toEqual(['Concluded at the token budget.']);
    const budgetToRaise = 'dailyTokens (9) in system.yaml';
    expect(listResultLimits({ ...cut, budgetToRaise })).toEqual([
      'Concluded at the token budget. Raise dailyTokens (9) in system.yaml.',
    ]);
  });

  it('name the agents of several', () => {
    const cut = view([[execution('logs', { caveats: ['MAX_ITERATIONS'] }), execution('metrics')]]);
    expect(listResultLimits(cut)).toEqual(['Concluded at the iteration limit: logs.']);
  });

  it('count the agents that found something', () => {
    const failed = execution('metrics', {
      status: 'failed',
      finalAnalysis: null,
      failure: { code: 'MODEL_CREDENTIALS', message: 'no key' },
    });
    expect(listResultLimits(view([[execution('logs'), failed]]))).toEqual([
      '1 of 2 agents found something: metrics failed (MODEL_CREDENTIALS).',
    ]);
  });

  it('are not known of an agent that is running', () => {
    const running = execution('metrics', { status: 'active', finalAnalysis: null });
    expect(listResultLimits(view([[execution('logs'), running]]))).toEqual([]);
  });

  it('name unreachable servers, and who lacked them', () => {
    const lacking = execution('logs', { missingServers: ['prometheus'] });
    expect(listResultLimits(view([[lacking]]))).toEqual([
      'logs worked without the tool server prometheus: it could not be reached.',
    ]);
  });

  it('name a code once for all agents, and those that view and agent have', () => {
    const limited = { caveats: ['MAX_ITERATIONS' as const] };
    const cut = view(
      [[execution('logs', limited), execution('metrics', limited)], [execution('writer', limited)]],
      [
        { executionId: '01-logs', code: 'MAX_ITERATIONS' },
        { executionId: '09-gone', code: 'MODEL_TRUNCATED' },
        { executionId: '01-logs', code: 'AGENT_WITHOUT_ANALYSIS' },
        { executionId: '01-logs', code: 'TOOL_SERVER_MISSING' },
      ],
    );
    expect(listResultLimits({ ...cut, budgetToRaise: 'x' })).toEqual([
      'Concluded at the iteration limit: logs, metrics, writer.',
      'Truncated answer: 09-gone.',
    ]);
  });

  it('count neither agents that others called, nor questions', () => {
    const called = execution('helper', { parentExecutionId: '01-logs', finalAnalysis: null });
    const cut = view([[execution('logs', { caveats: ['MAX_ITERATIONS'] }), called]]);
    expect(listResultLimits(cut)).toEqual(['Concluded at the iteration limit.']);
    const failed = execution('chat', { status: 'failed', finalAnalysis: null, caveats: ['MAX_ITERATIONS'] });
    const asked = view([[execution('logs')], [failed]]);
    asked.stages = asked.stages.map((stage, index) => (index === 1 ? { ...stage, kind: 'chat' } : stage));
    expect(listResultLimits(asked)).toEqual([]);
  });

  it.each([
    [{ status: 'completed' }, 'logs found nothing, without an analysis.'],
    [{ status: 'timed_out' }, 'logs timed out, without an analysis.'],
    [
      { status: 'failed', failure: { code: 'MODEL_CREDENTIALS', message: '' } },
      'logs failed (MODEL_CREDENTIALS), without an analysis.',
    ],
  ])('name the end of an agent without an analysis: %j', (end, text) => {
    const one = execution('logs', { ...(end as Partial<ExecutionView>), finalAnalysis: null });
    expect(listResultLimits(view([[one]]))).toEqual([text]);
    const summary = view([[one]]);
    summary.stages = summary.stages.map((stage) => ({ ...stage, kind: 'exec_summary' }));
    expect(listResultLimits(summary)).toEqual(['There is no executive summary.']);
  });

  it('name a server once for all agents without it', () => {
    const lacking = (agentName: string) => execution(agentName, { missingServers: ['prometheus', 'k8s'] });
    expect(listResultLimits(view([[lacking('logs'), lacking('metrics'), lacking('logs')]]))).toEqual([
      'logs, metrics worked without the tool server prometheus: it could not be reached.',
      'logs, metrics worked without the tool server k8s: it could not be reached.',
    ]);
  });

  it('are shown in the status of a session, like what it waits for', () => {
    const cut = view([[execution('logs', { caveats: ['MAX_ITERATIONS'] })]]);
    const shown = (changes: object, of = view([[execution('logs')]])) =>
      shownStatus({ ...of, approvals: [], steering: { paused: null }, ...changes } as unknown as SessionView);
    expect(shown({ status: 'completed' }, cut)).toBe('limited');
    expect(shown({ status: 'completed' })).toBe('completed');
    expect(shown({ status: 'failed' }, cut)).toBe('failed');
    const [pending, paused] = [
      { approvals: [{ status: 'approved' }, { status: 'pending' }] },
      { paused: {} },
    ];
    expect(shown({ status: 'in_progress', ...pending, steering: paused })).toBe('waits');
    expect(shown({ status: 'failed', ...pending })).toBe('failed');
    expect(shown({ status: 'in_progress', steering: paused })).toBe('paused');
    expect(shown({ status: 'in_progress', approvals: [{ status: 'approved' }] })).toBe('in_progress');
    expect([hasEnded('timed_out'), hasEnded('cancelling'), hasEnded(null)]).toEqual([true, false, false]);
  });

  it('show a code of a newer server as it is', () => {
    expect(caveatWords('SOMETHING_NEW')).toBe('SOMETHING_NEW');
  });
});
