// Mutants of approvals.

import type { UnitMutant } from '../unitMutant.ts';

const APPROVAL = 'shared/features/approvals/askPerson.test.ts';
const DECISIONS = 'shared/kits/approvals/decideApproval.test.ts';
const STORED = 'shared/kits/approvals/storedDecisions.test.ts';

/** The mutants, by what is broken. */
export const APPROVALS_MUTANTS: Record<string, UnitMutant> = {
  'an approval waits in the last minute before the deadline': {
    file: 'features/approvals/askPerson.ts',
    text: 'deadlineBelow(execution.deadline).getTime() - now.getTime()',
    by: 'execution.deadline.getTime() - now.getTime()',
    test: APPROVAL,
  },
  'a person is asked who has no time to decide': {
    file: 'features/approvals/askPerson.ts',
    text: 'if (left < SHORTEST_WAIT_MS) {',
    by: 'if (left < -1e12) {',
    test: APPROVAL,
  },
  'a person is asked about more than anyone reads': {
    file: 'features/approvals/askPerson.ts',
    text: 'if (bytes > MAX_ARGUMENTS_BYTES) {',
    by: 'if (bytes < 0) {',
    test: APPROVAL,
  },
  'a person is shown arguments of the model that configuration replaces': {
    file: 'features/approvals/askPerson.ts',
    text: '{ ...parseCallArguments(text), ...bound }',
    by: '{ ...bound, ...parseCallArguments(text) }',
    test: APPROVAL,
  },
  'an approval of a question that is being cancelled can be decided': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'return openStage.cancelling;',
    by: 'return false;',
    test: DECISIONS,
  },
  'an approval of a question ends with its session': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'if (openStage?.stageId === stageId) return openStage.cancelling;',
    by: '',
    test: DECISIONS,
  },
  'an approval of a session that has ended can be decided': {
    file: 'kits/approvals/decideApproval.ts',
    text: "return status === 'cancelling' || isTerminal(status);",
    by: "return status === 'cancelling';",
    test: DECISIONS,
  },
  'a decision that comes again publishes nothing': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'if (execution !== undefined) await publishUnclaimed(execution, deps);',
    by: '',
    test: STORED,
  },
  'a decision that comes again publishes an execution that is held': {
    file: 'core/kernel/execution/publishAgain.ts',
    text: "&& status !== 'waiting' && lease === null && publishedIteration < iteration",
    by: "&& status !== 'waiting' && publishedIteration < iteration",
    test: STORED,
  },
  'a decision that comes again publishes an execution that was claimed': {
    file: 'core/kernel/execution/publishAgain.ts',
    text: "&& status !== 'waiting' && lease === null && publishedIteration < iteration",
    by: "&& status !== 'waiting' && lease === null",
    test: STORED,
  },
  'a decision that comes too late does not settle its call': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'await settleWaits({ sessionId, executionId }, deps)',
    by: 'await Promise.resolve()',
    test: STORED,
  },
  'two people who deny at one moment have both decided': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'return isOwn ? approval : undefined;',
    by: 'return approval;',
    test: STORED,
  },
  'a decision is not in the timeline': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'appendDecision(call, decision, batch);',
    by: '',
    test: STORED,
  },
  'an approval that is decided is closed again': {
    file: 'core/kernel/execution/closeApprovals.ts',
    text: "value?.value.status === 'pending' ? [value] : []",
    by: 'value ?? []',
    test: STORED,
  },
  'approvals of calls that do not wait are closed': {
    file: 'core/kernel/execution/closeApprovals.ts',
    text: "state === 'waiting' && waitsFor?.kind === 'person'",
    by: "waitsFor?.kind === 'person'",
    test: STORED,
  },
  'approvals whose time is over are listed': {
    file: 'kits/views/listApprovals.ts',
    text: "status === 'pending' && until > now",
    by: "status === 'pending'",
    test: STORED,
  },
  'only the first page of approvals is listed': {
    file: 'kits/views/listApprovals.ts',
    text: 'afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);',
    by: 'afterId = undefined;',
    test: STORED,
  },
  'approvals are listed in any order': {
    file: 'kits/views/listApprovals.ts',
    text: 'a.until.getTime() - b.until.getTime()',
    by: '0 * (a.until.getTime() - b.until.getTime())',
    test: STORED,
  },
};
