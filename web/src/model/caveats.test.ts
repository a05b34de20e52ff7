// What limits an analysis, in sentences.

import { describe, expect, it } from 'vitest';
import type { ExecutionView, SessionView } from '../../../shared/lists/apiTypes.ts';
import { caveatWords, listResultLimits } from './caveats.ts';

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

  it('show a code of a newer server as it is', () => {
    expect(caveatWords('SOMETHING_NEW')).toBe('SOMETHING_NEW');
  });
});
