// Mutants of the sweep.

import type { UnitMutant } from '../unitMutant.ts';

const DECIDE_SWEEP = 'shared/core/rescue/decideSweep.test.ts';
const SWEEP = 'shared/core/rescue/sweep.test.ts';
const IN_TURN = 'shared/core/rescue/publishInTurn.test.ts';
const PAUSED = 'shared/core/rescue/extendPaused.test.ts';
const SYSTEM_PAUSE = 'test/features/system/pause.test.ts';
const APPROVALS = 'test/features/approvals/approvals.test.ts';
const MARK = 'shared/core/rescue/sweepMark.test.ts';

/** The mutants, by what is broken. */
export const SWEEP_MUTANTS: Record<string, UnitMutant> = {
  'the mark of the sweep is moved although a session failed': {
    file: 'core/rescue/sweep.ts',
    text: 'if (!(error instanceof TerminalError)) run.complete = false;',
    by: '',
    test: 'test/core/sweepAgain.test.ts',
  },
  'the sweep does not finish cancellations': {
    file: 'core/rescue/decideSweep.ts',
    text: "if (cancelling) return { kind: 'finish_cancelling' };",
    by: '',
    test: DECIDE_SWEEP,
  },
  'a session without its documents never ends': {
    file: 'core/rescue/decideSweep.ts',
    text: "if (missing !== undefined && now >= deadline) return { kind: 'end_session', failure: missing };",
    by: '',
    test: DECIDE_SWEEP,
  },
  'a session ends at once where a document is missing': {
    file: 'core/rescue/decideSweep.ts',
    text: 'if (missing !== undefined && now >= deadline)',
    by: 'if (missing !== undefined)',
    test: DECIDE_SWEEP,
  },
  'the sweep ends what a holder works at': {
    file: 'core/rescue/decideSweep.ts',
    text: "if (isHeld(value.lease, now)) return { kind: 'leave' };",
    by: '',
    test: DECIDE_SWEEP,
  },
  'the sweep ends nothing at its deadline': {
    file: 'core/rescue/decideSweep.ts',
    text: "if (ending !== undefined) return { kind: 'end', ending };",
    by: '',
    test: DECIDE_SWEEP,
  },
  'the sweep publishes what pauses': {
    file: 'core/rescue/decideSweep.ts',
    text: "if (value.notBefore !== null && value.notBefore > now) return { kind: 'leave' };",
    by: '',
    test: DECIDE_SWEEP,
  },
  'a question of a paused session is not published': {
    file: 'core/rescue/decideSweep.ts',
    text: 'session.openStage ? NOT_STEERED : session.steering',
    by: 'session.steering',
    test: SWEEP,
  },
  'the sweep does not look at questions': {
    file: 'core/rescue/decideSweep.ts',
    text: "return openStage ?? { stageId: currentStageId, deadline, cancelling: status === 'cancelling' };",
    by: "return { stageId: currentStageId, deadline, cancelling: status === 'cancelling' };",
    test: SWEEP,
  },
  'many iterations are published at once': {
    file: 'core/rescue/publishInTurn.ts',
    text: 'if (waitMs > 0) await',
    by: 'if (false) await',
    test: IN_TURN,
  },
  'critical sessions wait for others after an outage': {
    file: 'core/rescue/publishInTurn.ts',
    text: '(isCritical ? 0 : 1e15) + ',
    by: '',
    test: IN_TURN,
  },
  'times of a schedule that no sweep handled are forgotten': {
    file: 'features/checks/decideSchedule.ts',
    text: '.slice(0, -1)',
    by: '.slice(0, 0)',
    test: 'shared/features/checks/decideSchedule.test.ts',
  },
  'sessions that are late are not found': {
    file: 'core/rescue/findLateSessions.ts',
    text: '[...late, ...sessions, ...ended]',
    by: '[...late, ...ended]',
    test: SWEEP,
  },
  'executions that are late are not found': {
    file: 'core/rescue/findLateSessions.ts',
    text: '[...late, ...sessions, ...ended]',
    by: '[...sessions, ...ended]',
    test: SWEEP,
  },
  'only the first page of what is late is found': {
    file: 'core/rescue/findLateSessions.ts',
    text: 'for await (const page of find()) paths.push(...page);',
    by: 'for await (const page of find()) { paths.push(...page); break; }',
    test: SWEEP,
  },
  'nothing is listed where the queries fail': {
    file: 'core/rescue/sweep.ts',
    text: `    return { unseenForMs };
  }
}`,
    by: `    return { late: new Map(), unseenForMs };
  }
}`,
    test: SWEEP,
  },
  'what a session left behind never ends': {
    file: 'core/rescue/sweep.ts',
    text: 'else await endLeftovers(late, run);',
    by: '',
    test: SWEEP,
  },
  'a session that cannot be read never ends': {
    file: 'core/rescue/sweep.ts',
    text: 'isOpen = await endUnreadableSession(sessionId, failure, deps);',
    by: 'isOpen = true;',
    test: SWEEP,
  },
  'questions are not listed': {
    file: 'core/rescue/sweep.ts',
    text: 'await sweepQuestions(run, listed);',
    by: '',
    test: SWEEP,
  },
  'the mark moves although questions could not be listed': {
    file: 'core/rescue/sweep.ts',
    text: `    run.complete = false;
    log.error({ err: error }, \`open questions`,
    by: '    log.error({ err: error }, `open questions',
    test: SWEEP,
  },
  'only the first page of sessions is listed': {
    file: 'core/rescue/listSessionIds.ts',
    text: 'afterId = ids.length < PAGE_SIZE ? undefined : ids.at(-1);',
    by: 'afterId = undefined;',
    test: SWEEP,
  },
  'a session never starts by itself': {
    file: 'core/rescue/sweep.ts',
    text: 'if (await startSettled(session, deps)) report.advanced++;',
    by: '',
    test: SWEEP,
  },
  'the cancellation of a question cancels its session': {
    file: 'core/rescue/sweep.ts',
    text: `openStage === null
          ? await finishCancelling(session.value, deps)
          : await endQuestion({ sessionId, stageId }, CANCELLED, deps);`,
    by: 'await finishCancelling(session.value, deps);',
    test: SWEEP,
  },
  'a question whose stage is gone never ends': {
    file: 'core/rescue/sweep.ts',
    text: `if (openStage === null) await endBrokenSession(session, executions, decision.failure, deps);
      else await endBrokenQuestion`,
    by: `if (openStage === null) await endBrokenSession(session, executions, decision.failure, deps);
      else if (stageId === "") await endBrokenQuestion`,
    test: SWEEP,
  },
  'a missing document goes unreported': {
    file: 'core/rescue/sweep.ts',
    text: `if (decision.missing !== undefined)
`,
    by: `if (decision.missing !== undefined && false)
`,
    test: SWEEP,
  },
  'a session that failed goes unreported': {
    file: 'core/rescue/sweep.ts',
    text: 'report.failed++;',
    by: '',
    test: SWEEP,
  },
  'executions of a broken session stay open': {
    file: 'core/rescue/sweep.ts',
    text: 'await endOne(execution, deadlineExceeded(session.value.deadline), deps)',
    by: 'await Promise.resolve()',
    test: SWEEP,
  },
  'a mark of the far future counts': {
    file: 'core/rescue/sweepMark.ts',
    text: 'if (mark === undefined || !isPlausible(mark, now))',
    by: 'if (mark === undefined)',
    test: MARK,
  },
  'what ended just before the last run is not looked at': {
    file: 'core/rescue/sweepMark.ts',
    text: 'new Date(completedAt - CLOCK_TOLERANCE_MS)',
    by: 'new Date(completedAt)',
    test: SWEEP,
  },
  'sessions are never listed': {
    file: 'core/rescue/sweepMark.ts',
    text: 'if (listedAgo >= LISTING_INTERVAL_MS)',
    by: 'if (listedAgo >= 1e12)',
    test: MARK,
  },
  'a run that listed nothing counts as a listing': {
    file: 'core/rescue/sweepMark.ts',
    text: 'listed ? startedAt : unseen',
    by: 'startedAt',
    test: MARK,
  },
  'a session that cannot be read ends at once': {
    file: 'core/rescue/unreadableSession.ts',
    text: 'if (now < deadline) throw',
    by: 'if (now < bornAt) throw',
    test: SWEEP,
  },
  'a session that cannot be read ends twice': {
    file: 'core/rescue/unreadableSession.ts',
    text: 'if (TERMINAL_STATUSES.some((terminal) => terminal === status)) return false;',
    by: '',
    test: SWEEP,
  },
  'executions of a session that cannot be read stay open': {
    file: 'core/rescue/unreadableSession.ts',
    text: 'if (isTerminal(execution.value.status)) continue;',
    by: 'continue;',
    test: SWEEP,
  },
  'a pause of the installation is counted again': {
    file: 'core/rescue/extendPaused.ts',
    text: 'uncountedPart({ from: later(from, startedAt), to }, waitedUntil)',
    by: 'uncountedPart({ from: later(from, startedAt), to }, null)',
    test: PAUSED,
  },
  'an iteration loses its lease at the end of a pause of the installation': {
    file: 'core/rescue/extendPaused.ts',
    text: 'if (isHeld(value.lease, now) || extended.waitedUntil',
    by: 'if (extended.waitedUntil',
    test: SYSTEM_PAUSE,
  },
  'an iteration starts during a pause of the installation': {
    file: 'core/iteration/runIteration.ts',
    text: "if (systemPause !== null) return { kind: 'paused' };",
    by: '',
    test: SYSTEM_PAUSE,
  },
  'a dead letter ends an execution during a pause of the installation': {
    file: 'core/rescue/buryIteration.ts',
    text: "if (system.pause !== null) return { kind: 'paused' };",
    by: '',
    test: SYSTEM_PAUSE,
  },
  'the sweep works during a pause of the installation': {
    file: 'core/rescue/sweep.ts',
    text: 'if (report.paused) return report;',
    by: '',
    test: SYSTEM_PAUSE,
  },
  'an approval expires during a pause of the installation': {
    file: 'kits/approvals/decideApproval.ts',
    text: 'pause?.at ?? now',
    by: 'now',
    test: APPROVALS,
  },
};
