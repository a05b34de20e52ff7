// Which steps a reader sees: by kind, words, agent and tool.

import { expect, it } from 'vitest';
import type { SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { groupSteps, type Step } from '../../model/steps.ts';
import { filter, isFiltered, readFilter, type StepFilter, showsCalls } from '../state/stepFilter.ts';
import { holdsAgent, matchesFilter, toolNames } from './matchesFilter.ts';

const execution = (executionId: string, agentName: string, parentExecutionId: string | null = null) => ({
  executionId,
  agentName,
  parentExecutionId,
});
const view = {
  stages: [
    { executions: [execution('01', 'lead'), execution('01~1', 'logs', '01')] },
    { executions: [execution('01~1~1', 'metrics', '01~1'), execution('02', 'writer')] },
  ],
} as unknown as SessionView;
const event = (number: number, eventType: string, metadata: object = {}) =>
  ({
    ...{ eventId: `${number}`, sequenceNumber: number, eventType, content: `Content ${number}` },
    metadata: { callId: `${number}`, ...metadata },
  }) as unknown as TimelineEvent;
const [call, ask, says] = groupSteps([
  event(1, 'llm_tool_call', { toolName: 'k.get_logs' }),
  event(2, 'llm_tool_call', { toolName: 'ask_agent', childExecutionId: '01~1' }),
  event(3, 'llm_response'),
]) as [Step, Step, Step];

it.each<[string, Partial<StepFilter>, string]>([
  ['no filter', {}, 'call ask says'],
  ['tools', { kind: 'tools' }, 'call ask'],
  ['words', { text: 'content 3' }, 'says'],
  ['words of another kind', { kind: 'tools', text: 'content 3' }, ''],
  ['a tool', { tool: 'get_logs' }, 'call'],
  ['a tool by its server', { tool: 'k.get_logs' }, ''],
  ['its agent', { agent: 'lead' }, 'call ask says'],
  ['an agent that a call asked', { agent: 'logs' }, 'ask'],
  ['an agent that it asked in turn', { agent: 'metrics' }, 'ask'],
  ['another agent', { agent: 'writer' }, ''],
])('steps are shown by %s', (_, changes, names) => {
  const chosen: StepFilter = { kind: 'all', text: '', agent: '', tool: '', ...changes };
  const steps = Object.entries({ call, ask, says });
  const shown = steps.filter(([, step]) => matchesFilter(step, '01', chosen, () => view));
  expect(shown.map(([name]) => name).join(' ')).toBe(names);
  expect(isFiltered(chosen)).toBe(Object.keys(changes).length > 0);
});

it('an execution holds its agent and those that it asked', () => {
  const held = ['lead', 'logs', 'metrics', 'writer', ''].filter((agent) => holdsAgent('01', agent, view));
  expect(held).toEqual(['lead', 'logs', 'metrics', '']);
  expect([holdsAgent('01~1', 'lead', view), holdsAgent('01', 'lead', undefined)]).toEqual([false, false]);
});

it('the tools of steps are named once, without their servers', () => {
  expect(toolNames([call, says, ask, call])).toEqual(['get_logs', 'ask_agent']);
});

it('a filter is read from an address', () => {
  readFilter({ show: 'errors', q: ' OOM ', agent: 'lead', tool: 'get_logs', calls: '1' });
  expect(filter.value).toEqual({ kind: 'errors', text: 'oom', agent: 'lead', tool: 'get_logs' });
  expect(showsCalls.value).toBe(true);
  readFilter({ show: 'unknown' });
  expect(filter.value).toEqual({ kind: 'all', text: '', agent: '', tool: '' });
  expect(showsCalls.value).toBe(false);
});
