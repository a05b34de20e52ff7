// Mutants of stages.

import type { UnitMutant } from '../unitMutant.ts';

const STAGE = 'shared/core/stage/advanceStage.test.ts';
const DECIDE_STAGE = 'shared/core/stage/decideStage.test.ts';
const RULES = 'test/features/claims/rules.test.ts';
const OUTCOME = 'shared/core/stage/stageOutcome.test.ts';

/** The mutants, by what is broken. */
export const STAGES_MUTANTS: Record<string, UnitMutant> = {
  'rules answer beside an analysis': {
    file: 'core/stage/decideStage.ts',
    text: 'if (answer !== undefined && findings.length === 0)',
    by: 'if (answer !== undefined)',
    test: RULES,
  },
  'a late call of rules is sent': {
    file: 'core/iteration/calls/runTools.ts',
    text: "const refused = left <= 0 ? 'Not run: its time is over.' : offeredSinceText(run, pending);",
    by: 'const refused = offeredSinceText(run, pending);',
    test: RULES,
  },
  'the next stage is not published by those who find the last one ended': {
    file: 'core/stage/advanceStage.ts',
    text: 'return resumeStage(session.value, deps);',
    by: 'return;',
    test: STAGE,
  },
  'what is claimed is published again with its stage': {
    file: 'core/stage/advanceStage.ts',
    text: 'value.publishedIteration === 0 && isUnclaimed(value)',
    by: 'isUnclaimed(value) || true',
    test: STAGE,
  },
  'a stage that has ended is not advanced by those who find the one before it': {
    file: 'core/stage/advanceStage.ts',
    text: `if (executions.every(({ value }) => isTerminal(value.status)))
    return advanceStage`,
    by: `if (executions.length === 0)
    return advanceStage`,
    test: STAGE,
  },
  'a stage starts and is not published': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'await Promise.all(started.map((execution) => publishIteration(deps.publisher, execution)));',
    by: '',
    test: STAGE,
  },
  'a stage stays open where the next one can never be stored': {
    file: 'core/stage/commitStageEnd.ts',
    text: `if (!(error instanceof TerminalError)) throw error;
    refusal = error;`,
    by: 'throw error;',
    test: STAGE,
  },
  'a session ends without an event that says why': {
    file: 'core/stage/commitStageEnd.ts',
    text: `      ...events,
`,
    by: '',
    test: STAGE,
  },
  'a session has the tokens of its last stage only': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'const tokens = addTokens(session.value.tokens, outcome.tokens);',
    by: 'const tokens = outcome.tokens;',
    test: STAGE,
  },
  'a session has the costs of its last stage only': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'const cost = addCosts(session.value.cost, outcome.cost);',
    by: 'const cost = outcome.cost;',
    test: STAGE,
  },
  'a stage starts without the tokens used so far': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'startStage({ ...judged.session, tokens }, decision.next, now, deps)',
    by: 'startStage(judged.session, decision.next, now, deps)',
    test: STAGE,
  },
  'a stage that has ended names no executions': {
    file: 'core/stage/commitStageEnd.ts',
    text: 'finishedExecutions: stage.value.expectedExecutions,',
    by: '',
    test: STAGE,
  },
  'what is below a broken execution is not read': {
    file: 'core/stage/readableStage.ts',
    text: 'executions[index]?.value?.value.children !== 0',
    by: '(executions[index]?.value?.value.children ?? 0) > 0',
    test: STAGE,
  },
  'a broken document of a stage goes unnoticed': {
    file: 'core/stage/readableStage.ts',
    text: 'broken: [stage, ...executions].find(({ failure }) => failure !== undefined)?.failure,',
    by: 'broken: undefined,',
    test: STAGE,
  },
  'a session that has ended goes on': {
    file: 'core/stage/decideStage.ts',
    text: "if (isTerminal(session.status)) return { kind: 'session_ended' };",
    by: '',
    test: DECIDE_STAGE,
  },
  'a stage that has ended ends again': {
    file: 'core/stage/decideStage.ts',
    text: "if (isTerminal(stage.status)) return { kind: 'already_advanced' };",
    by: '',
    test: DECIDE_STAGE,
  },
  'a stage ends although an execution is missing': {
    file: 'core/stage/decideStage.ts',
    text: `executions.length === stage.expectedExecutions.length
      ?`,
    by: `executions.length > 0
      ?`,
    test: DECIDE_STAGE,
  },
  'a cancelled session starts its next stage': {
    file: 'core/stage/decideStage.ts',
    text: "if (session.status === 'cancelling') return end(CANCELLED);",
    by: '',
    test: DECIDE_STAGE,
  },
  'a stage starts after the deadline': {
    file: 'core/stage/decideStage.ts',
    text: 'if (now >= session.deadline) return end(deadlineExceeded(session.deadline));',
    by: '',
    test: DECIDE_STAGE,
  },
  'a summary starts after the deadline': {
    file: 'core/stage/decideStage.ts',
    text: 'if (now >= deadline) return ending;',
    by: '',
    test: DECIDE_STAGE,
  },
  'a stage ends while an execution below it is open': {
    file: 'core/stage/stageOutcome.ts',
    text: '!tree.every(({ status }) => isTerminal(status))',
    by: '!executions.every(({ status }) => isTerminal(status))',
    test: OUTCOME,
  },
  'a stage with a cancelled execution completes': {
    file: 'core/stage/stageOutcome.ts',
    text: "if (has('cancelled')) return 'cancelled';",
    by: '',
    test: OUTCOME,
  },
  'a stage that timed out has failed': {
    file: 'core/stage/stageOutcome.ts',
    text: "return has('timed_out') ? 'timed_out' : 'failed';",
    by: "return 'failed';",
    test: OUTCOME,
  },
};
