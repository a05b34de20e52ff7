// Mutants of agents that ask others, and of collected calls.

import type { UnitMutant } from '../unitMutant.ts';

const CHILD = 'shared/features/children/startChild.test.ts';
const CHILD_RESULT = 'shared/core/kernel/state/childResult.test.ts';
const COLLECT = 'test/features/collect/collect.test.ts';

/** The mutants, by what is broken. */
export const CHILDREN_MUTANTS: Record<string, UnitMutant> = {
  'agents ask below the deepest allowed': {
    file: 'features/children/startChild.ts',
    text: 'if (depth >= MAX_DEPTH)',
    by: 'if (depth > MAX_DEPTH)',
    test: CHILD,
  },
  'an agent has more open children than it may': {
    file: 'features/children/startChild.ts',
    text: 'if (open >= MAX_OPEN)',
    by: 'if (open > MAX_OPEN)',
    test: CHILD,
  },
  'a session has more children than it may': {
    file: 'features/children/startChild.ts',
    text: 'if (plan.existing + open >= MAX_OF_SESSION)',
    by: 'if (plan.existing + open > MAX_OF_SESSION)',
    test: CHILD,
  },
  'children of the same batch do not count': {
    file: 'features/children/startChild.ts',
    text: 'if (plan.existing + open >= MAX_OF_SESSION)',
    by: 'if (plan.existing >= MAX_OF_SESSION)',
    test: CHILD,
  },
  'an agent is asked that has no time to answer': {
    file: 'features/children/startChild.ts',
    text: 'if (timeoutMs < SHORTEST_WAIT_MS)',
    by: 'if (timeoutMs < 0)',
    test: CHILD,
  },
  'no time is left to an agent after its children': {
    file: 'features/children/startChild.ts',
    text: 'deadlineBelow(execution.deadline).getTime() - now.getTime()',
    by: 'execution.deadline.getTime() - now.getTime()',
    test: CHILD,
  },
  'an agent asks one that it may not': {
    file: 'features/children/startChild.ts',
    text: 'plan.asks.includes(name) ? configured : undefined',
    by: 'configured',
    test: CHILD,
  },
  'a name that every object has is taken for an agent': {
    file: 'features/children/startChild.ts',
    text: 'Object.hasOwn(entries, name) ? entries[name] : undefined',
    by: 'entries[name]',
    test: CHILD,
  },
  'a question may have any size': {
    file: 'features/children/askArguments.ts',
    text: 'if (bytes > MAX_QUESTION_BYTES)',
    by: 'if (bytes < 0)',
    test: CHILD,
  },
  'a child may have any time': {
    file: 'features/children/askArguments.ts',
    text: 'if (!isSeconds(seconds))',
    by: "if (typeof seconds !== 'number')",
    test: CHILD,
  },
  'a child may have parts of seconds': {
    file: 'features/children/askArguments.ts',
    text: 'Number.isInteger(value) && Number(value)',
    by: 'Number(value)',
    test: CHILD,
  },
  'an agent asks itself': {
    file: 'features/children/startChild.ts',
    text: '[...ancestors, plan.asker].includes',
    by: '[...ancestors].includes',
    test: CHILD,
  },
  'an agent forgets all but the nearest above it': {
    file: 'features/children/startChild.ts',
    text: 'ancestors: [...parent.ancestors, asker],',
    by: 'ancestors: [asker],',
    test: CHILD,
  },
  'a child has no budget of its session': {
    file: 'features/children/startChild.ts',
    text: 'limits: withBudgets(limits, parent.limits),',
    by: 'limits,',
    test: CHILD,
  },
  'a child without tools is given labels': {
    file: 'features/children/startChild.ts',
    text: 'labels: agent.tools.length === 0 ? {} : labels,',
    by: 'labels,',
    test: CHILD,
  },
  'a child works on although the budget is used up': {
    file: 'features/children/startChild.ts',
    text: 'budgetReached: parent.budgetReached,',
    by: 'budgetReached: null,',
    test: CHILD,
  },
  'a child that was never claimed is never late': {
    file: 'features/children/startChild.ts',
    text: 'due: computeDue(fresh, now) }',
    by: 'due: {} }',
    test: CHILD,
  },
  'a child is not given earlier guidance': {
    file: 'features/children/startChild.ts',
    text: 'guidanceTaken: 0,',
    by: 'guidanceTaken: parent.guidanceTaken,',
    test: CHILD,
  },
  'a child collects as its parent does': {
    file: 'features/children/startChild.ts',
    text: 'collects: false,',
    by: 'collects: parent.collects,',
    test: CHILD,
  },
  'a refused question counts as a call that could not be run': {
    file: 'features/children/startChild.ts',
    text: "return settleCall(execution, pending.index, 'done');",
    by: "return settleCall(execution, pending.index, 'failed');",
    test: CHILD,
  },
  'the analysis of a child is not cut': {
    file: 'core/kernel/state/childResult.ts',
    text: "limitText(finalAnalysis ?? '', toolResultBytes)",
    by: "limitText(finalAnalysis ?? '', 1e9 + toolResultBytes)",
    test: CHILD_RESULT,
  },
  'the analysis of a child that failed is lost': {
    file: 'core/kernel/state/childResult.ts',
    text: 'if (finalAnalysis === null) {',
    by: "if (status !== 'completed') {",
    test: CHILD_RESULT,
  },
  'the caveats of a child are lost': {
    file: 'core/kernel/state/childResult.ts',
    text: '...(caveats.length > 0 && { caveats }),',
    by: '',
    test: CHILD_RESULT,
  },
  'invisible characters of a child reach the model': {
    file: 'core/kernel/state/childResult.ts',
    text: 'output: makeVisible(content),',
    by: 'output: content,',
    test: CHILD_RESULT,
  },
  'a collected call runs a tool that is not offered': {
    file: 'features/collect/commitCollect.ts',
    text: 'if (tool === undefined)',
    by: 'if (tool === undefined && isMissing(server))',
    test: COLLECT,
  },
  'a collected call runs with wrong arguments': {
    file: 'features/collect/commitCollect.ts',
    text: 'return checkArguments(tool.inputSchema, parseCallArguments(args));',
    by: 'return undefined;',
    test: COLLECT,
  },
  'a collected call is left out without an event': {
    file: 'features/collect/commitCollect.ts',
    text: 'for (const { tool, reason } of leftOut) batch.appendEvent(leftOutNotice(tool, reason));',
    by: '',
    test: COLLECT,
  },
  'a collected call that was refused runs': {
    file: 'features/collect/commitCollect.ts',
    text: "return { ...pending, state: 'failed' };",
    by: 'return pending;',
    test: COLLECT,
  },
  'a collected call holds a secret and runs': {
    file: 'features/collect/commitCollect.ts',
    text: 'const isLeaking = isLeakingCall(call, masker);',
    by: 'const isLeaking = false;',
    test: COLLECT,
  },
};
