import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  SAMPLE_TIME,
  sampleAgent,
  sampleExecution,
  samplePlan,
  sampleSession,
  sampleStage,
} from '../../../test/support/samples.ts';
import type { Inserted, InsertedStage, Judgement, StageFeature, StagePlace } from '../kernel/stageFeature.ts';
import type { StagePlan } from '../schema/agent.ts';
import { type Failure, isTerminal, TERMINAL_STATUSES, type TerminalStatus } from '../schema/common.ts';
import { composeExecutionId } from '../schema/coreDocuments.ts';
import type { Execution } from '../schema/execution.ts';
import type { Session } from '../schema/session.ts';
import type { Stage } from '../schema/stage.ts';
import { decideStage, smallerEnds } from './decideStage.ts';
import type { EarlierStage } from './earlierStages.ts';

const now = SAMPLE_TIME;
const minutes = (count: number) => new Date(now.getTime() + count * 60_000);

const plan = (name: string, agents: string[], synthesis: string | null = null): StagePlan =>
  samplePlan({
    name,
    agents: agents.map((agent) => sampleAgent({ name: agent })),
    synthesis: synthesis === null ? null : sampleAgent({ name: synthesis, strategy: 'synthesis' }),
  });
const session = (stages: StagePlan[], overrides: Partial<Session> = {}) =>
  sampleSession({ chain: { name: 'test', stages }, deadline: minutes(1), ...overrides });
const stage = (overrides: Partial<Stage> = {}, agents = ['logs', 'metrics']) =>
  sampleStage({ expectedExecutions: agents.map((name) => composeExecutionId(1, name)), ...overrides });
const execution = (name: string, status: Execution['status'], overrides: Partial<Execution> = {}) =>
  sampleExecution({
    executionId: composeExecutionId(1, name),
    agentName: name,
    status,
    failure: isTerminal(status) ? FAILURES[status] : null,
    finalAnalysis: status === 'completed' ? `${name}: memory` : null,
    ...overrides,
  });
const FAILURES: Record<TerminalStatus, Failure | null> = {
  failed: { code: 'MODEL_BLOCKED', message: 'blocked' },
  timed_out: { code: 'DEADLINE_EXCEEDED', message: 'late' },
  cancelled: { code: 'CANCELLED', message: 'enough' },
  completed: null,
};

const twoAgents = [execution('logs', 'completed'), execution('metrics', 'completed')];
const look: EarlierStage[] = [{ index: 1, name: 'look', executions: twoAgents, descendants: [] }];
const alone = [plan('look', ['logs', 'metrics'])];
const synthesized = [plan('look', ['logs', 'metrics'], 'synth')];
const twoStages = [...alone, plan('judge', ['judge'])];
const both = '### logs Analysis\n\nlogs: memory\n\n### metrics Analysis\n\nmetrics: memory';

describe('a stage with nothing left to do', () => {
  it.each(TERMINAL_STATUSES)('belongs to a session that is %s', (status) => {
    for (const current of [stage(), stage({ status: 'completed' })]) {
      const decision = decideStage(session(twoStages, { status }), current, twoAgents, [], now);
      expect(decision).toEqual({ kind: 'session_ended' });
    }
  });

  it.each(TERMINAL_STATUSES)('is %s itself: another process has advanced it', (status) => {
    for (const of of ['in_progress', 'cancelling'] as const) {
      const decision = decideStage(session(twoStages, { status: of }), stage({ status }), twoAgents, [], now);
      expect(decision).toEqual({ kind: 'already_advanced' });
    }
  });
});

describe('a stage whose executions have not all ended', () => {
  it.each(['pending', 'active'] as const)(
    'is running while one is %s, also when cancelled or late',
    (status) => {
      const executions = [execution('logs', 'completed'), execution('metrics', status)];
      for (const overrides of [{}, { status: 'cancelling' as const }, { deadline: now }]) {
        const decision = decideStage(session(twoStages, overrides), stage(), executions, [], now);
        expect(decision).toEqual({ kind: 'running' });
      }
    },
  );

  it('is running while an execution is missing, because its outcome is unknown', () => {
    const decision = decideStage(session(twoStages), stage(), [execution('logs', 'completed')], [], now);
    expect(decision).toEqual({ kind: 'running' });
  });
});

describe('a stage whose executions have all ended', () => {
  it('ends the session, when it is the last one', () => {
    expect(decideStage(session(alone), stage(), twoAgents, [], now)).toMatchObject({
      kind: 'end_session',
      end: { status: 'completed', failure: null, finalAnalysis: both },
      outcome: { status: 'completed' },
    });
  });

  it('is followed by its synthesis, which gets the result of every agent', () => {
    const executions = [execution('logs', 'completed'), execution('metrics', 'failed')];
    expect(decideStage(session(synthesized), stage(), executions, [], now)).toMatchObject({
      kind: 'start',
      next: {
        index: 1,
        kind: 'synthesis',
        findings: [
          { agent: 'logs', analysis: 'logs: memory' },
          { agent: 'metrics', analysis: '(no result: blocked)' },
        ],
      },
      outcome: { status: 'completed' },
    });
  });

  it('is followed by the next stage, which gets the findings', () => {
    const executions = [execution('logs', 'completed'), execution('metrics', 'failed')];
    expect(decideStage(session(twoStages), stage(), executions, [], now)).toMatchObject({
      kind: 'start',
      next: { index: 2, kind: 'investigation', findings: [{ agent: 'logs', analysis: 'logs: memory' }] },
    });
  });

  it('is followed by the next stage also with the findings of those before', () => {
    const judging = stage({ stageId: '02-judge', index: 2, name: 'judge-synthesis', kind: 'synthesis' }, [
      'synth',
    ]);
    const chain = [...alone, plan('judge', ['judge'], 'synth'), plan('act', ['act'])];
    const judged = {
      index: 2,
      name: 'judge',
      executions: [execution('judge', 'completed')],
      descendants: [],
    };
    const decision = decideStage(
      session(chain),
      judging,
      [execution('synth', 'completed')],
      [...look, judged],
      now,
    );
    expect(decision).toMatchObject({
      kind: 'start',
      next: {
        index: 3,
        findings: [
          { agent: 'logs', stage: 'look' },
          { agent: 'metrics', stage: 'look' },
          { agent: 'synth', stage: 'judge' },
        ],
      },
    });
  });

  it('needs each of its agents where its policy says so', () => {
    const executions = [execution('logs', 'completed'), execution('metrics', 'failed')];
    const strict = alone.map((one) => ({ ...one, successPolicy: 'all' as const }));
    expect(decideStage(session(strict), stage(), executions, [], now)).toMatchObject({
      kind: 'end_session',
      end: { status: 'failed', finalAnalysis: 'logs: memory' },
    });
  });

  it('has the caveats of all its analyses, and of those before', () => {
    const doubtful = execution('judge', 'completed', { caveats: ['MAX_ITERATIONS'] });
    const failed = execution('logs', 'failed');
    const earlier = [{ index: 1, name: 'look', executions: [failed], descendants: [] }];
    const judging = stage({ stageId: '02-judge', index: 2 }, ['judge']);
    expect(decideStage(session(twoStages), judging, [doubtful], earlier, now)).toMatchObject({
      end: {
        caveats: [
          { executionId: '01-logs', code: 'AGENT_WITHOUT_ANALYSIS' },
          { executionId: '01-judge', code: 'MAX_ITERATIONS' },
        ],
      },
    });
  });

  it('ends the session, whatever was to follow, when it failed as a whole', () => {
    const executions = [execution('logs', 'failed'), execution('metrics', 'failed')];
    for (const stages of [alone, synthesized, twoStages]) {
      expect(decideStage(session(stages), stage(), executions, [], now)).toMatchObject({
        kind: 'end_session',
        end: { status: 'failed', failure: FAILURES.failed, finalAnalysis: null },
      });
    }
  });
});

describe('a synthesis that has ended', () => {
  const synthesis = stage({ stageId: '01-look-synthesis', kind: 'synthesis' }, ['synth']);
  const decided = (status: TerminalStatus, stages: StagePlan[], overrides: Partial<Session> = {}) =>
    decideStage(session(stages, overrides), synthesis, [execution('synth', status)], look, now);

  it('is the result of the session, when its stage was the last one', () => {
    expect(decided('completed', synthesized)).toMatchObject({
      kind: 'end_session',
      end: { status: 'completed', finalAnalysis: 'synth: memory' },
    });
  });

  it('is all that the next stage gets', () => {
    expect(decided('completed', [...synthesized, plan('judge', ['judge'])])).toMatchObject({
      kind: 'start',
      next: { index: 2, kind: 'investigation', findings: [{ agent: 'synth', analysis: 'synth: memory' }] },
    });
  });

  it.each(['failed', 'timed_out', 'cancelled'] as const)('and is %s takes nothing away', (status) => {
    const overrides = status === 'cancelled' ? { status: 'cancelling' as const } : {};
    expect(decided(status, synthesized, overrides)).toMatchObject({
      kind: 'end_session',
      end: { status, failure: { code: FAILURES[status]?.code }, finalAnalysis: both },
    });
  });
});

describe('a later stage that found nothing', () => {
  const judging = stage({ stageId: '02-judge', index: 2 }, ['judge']);
  const decided = (status: TerminalStatus, overrides: Partial<Session> = {}) => {
    const judge = execution('judge', status);
    return decideStage(session(twoStages, overrides), judging, [judge], look, now);
  };

  it.each(['failed', 'timed_out'] as const)(
    'and is %s leaves the session its earlier findings, marked as partial',
    (status) => {
      expect(decided(status)).toMatchObject({
        end: {
          status,
          failure: FAILURES[status],
          finalAnalysis: both,
          partial: {
            reason: FAILURES[status]?.code,
            text: expect.stringContaining(FAILURES[status]?.message ?? ''),
          },
        },
      });
    },
  );

  it('because the session was cancelled does so as well', () => {
    expect(decided('cancelled', { status: 'cancelling' })).toMatchObject({
      end: { status: 'cancelled', finalAnalysis: both, partial: { reason: 'CANCELLED' } },
    });
  });

  it('says so in words, without what was not there', () => {
    const decision = decideStage(
      session(alone),
      stage(),
      [execution('logs', 'failed'), execution('metrics', 'failed')],
      [],
      now,
    );
    expect(decision).toMatchObject({
      end: {
        caveats: [],
        partial: {
          reason: 'MODEL_BLOCKED',
          text: 'The investigation ended early, without an analysis. blocked',
        },
      },
    });
    expect(decided('failed')).toMatchObject({
      end: { partial: { text: 'The investigation ended early, with what had been found so far. blocked' } },
    });
  });

  it('marks nothing when it completes', () => {
    expect(decided('completed')).toMatchObject({ end: { finalAnalysis: 'judge: memory', partial: null } });
  });
});

describe('the executive summary', () => {
  const summary = sampleAgent({ name: 'executive-summary', strategy: 'executive-summary' });
  const withSummary = (overrides: Partial<Session> = {}) =>
    session(alone, { chain: { ...session(alone).chain, summary }, ...overrides });
  const summaryStage = stage({ stageId: '02-executive-summary', index: 2, kind: 'exec_summary' }, ['sum']);
  const concluded = { conclusion: { status: 'completed' as const, failure: null } };
  const afterwards = (status: TerminalStatus, overrides: Partial<Session> = {}) =>
    decideStage(
      withSummary({ ...concluded, ...overrides }),
      summaryStage,
      [execution('sum', status)],
      look,
      now,
    );

  it('follows the last stage, with the result of the session', () => {
    expect(decideStage(withSummary(), stage(), twoAgents, [], now)).toMatchObject({
      kind: 'start',
      next: { index: 2, kind: 'exec_summary', findings: [{ agent: 'logs' }, { agent: 'metrics' }] },
      conclusion: { status: 'completed', finalAnalysis: both, executiveSummary: null },
    });
  });

  it.each<[string, Partial<Session>, Execution[]]>([
    ['is cancelled', { status: 'cancelling' }, twoAgents],
    ['has found nothing', {}, [execution('logs', 'failed'), execution('metrics', 'failed')]],
    ['is past its deadline', { deadline: now }, twoAgents],
  ])('is none for a session that %s', (_, overrides, executions) => {
    const decision = decideStage(withSummary(overrides), stage(), executions, [], now);
    expect(decision).toMatchObject({ kind: 'end_session', end: { executiveSummary: null } });
    expect(decision).not.toHaveProperty('withoutSummary');
  });

  it('is none where the tokens of the session or of the day are used up, which is reported', () => {
    const limits = { ...summary.limits, sessionTokens: 1 };
    const poor = session(alone, { chain: { ...session(alone).chain, summary: { ...summary, limits } } });
    const spent = execution('logs', 'completed', { tokens: { ...sampleExecution().tokens, total: 1 } });
    expect(decideStage(poor, stage({}, ['logs']), [spent], [], now)).toMatchObject({
      kind: 'end_session',
      withoutSummary: 'sessionTokens',
    });
    const late = execution('logs', 'completed', { budgetReached: 'dailyTokens' });
    const other = execution('metrics', 'completed');
    expect(decideStage(withSummary(), stage(), [late, other], [], now)).toMatchObject({
      kind: 'end_session',
      withoutSummary: 'dailyTokens',
    });
  });

  it('is the result of its execution, and the session ends with that conclusion', () => {
    expect(afterwards('completed')).toMatchObject({
      kind: 'end_session',
      end: { status: 'completed', finalAnalysis: both, executiveSummary: 'sum: memory', partial: null },
    });
    const conclusion = { status: 'failed' as const, failure: FAILURES.failed };
    expect(afterwards('completed', { conclusion })).toMatchObject({
      end: { ...conclusion, executiveSummary: 'sum: memory', partial: { reason: 'MODEL_BLOCKED' } },
    });
  });

  it.each(['failed', 'timed_out', 'cancelled'] as const)('that is %s changes nothing else', (status) => {
    expect(afterwards(status, { deadline: now })).toMatchObject({
      end: { status: 'completed', failure: null, finalAnalysis: both, executiveSummary: null },
    });
  });

  it('of a session that was cancelled meanwhile does not undo that', () => {
    expect(afterwards('cancelled', { status: 'cancelling' })).toMatchObject({
      end: { status: 'cancelled', finalAnalysis: both, executiveSummary: null },
    });
  });

  it('that can never be stored is left out before anything else is', () => {
    const refusal: Failure = { code: 'DOCUMENT_TOO_LARGE', message: 'too large' };
    const start = decideStage(withSummary(), stage(), twoAgents, [], now);
    const end = afterwards('completed');
    if (start.kind !== 'start' || end.kind !== 'end_session') throw new Error('no summary');
    for (const decision of [start, end])
      expect(smallerEnds(decision, refusal)[0]).toMatchObject({
        status: 'completed',
        finalAnalysis: both,
        executiveSummary: null,
      });
  });
});

describe('an end whose documents can never be stored', () => {
  const refusal: Failure = { code: 'DOCUMENT_TOO_LARGE', message: 'too large' };
  const ends = (decision: ReturnType<typeof decideStage>) => {
    if (decision.kind !== 'start' && decision.kind !== 'end_session') throw new Error(decision.kind);
    return smallerEnds(decision, refusal);
  };

  it('of a cancelled session stays cancelled, without the analysis', () => {
    const cancelling = session(twoStages, { status: 'cancelling' });
    expect(ends(decideStage(cancelling, stage(), twoAgents, [], now))).toEqual([
      {
        status: 'cancelled',
        failure: expect.objectContaining({ code: 'CANCELLED' }),
        ...nothing('CANCELLED'),
      },
    ]);
  });

  it('of a completed session is a failure, because it would have no analysis', () => {
    expect(ends(decideStage(session(alone), stage(), twoAgents, [], now))).toEqual([
      { status: 'failed', failure: refusal, ...nothing('DOCUMENT_TOO_LARGE') },
    ]);
  });

  it('of a session that was late stays late', () => {
    const late = session(twoStages, { deadline: now });
    expect(ends(decideStage(late, stage(), twoAgents, [], now))).toEqual([
      {
        status: 'timed_out',
        failure: expect.objectContaining({ code: 'DEADLINE_EXCEEDED' }),
        ...nothing('DEADLINE_EXCEEDED'),
      },
    ]);
  });

  it('of a stage before another stage keeps the findings, and in the last case not even those', () => {
    expect(ends(decideStage(session(twoStages), stage(), twoAgents, [], now))).toEqual([
      {
        status: 'failed',
        failure: refusal,
        finalAnalysis: both,
        executiveSummary: null,
        caveats: [],
        partial: { reason: 'DOCUMENT_TOO_LARGE', text: expect.stringContaining('too large') },
      },
      { status: 'failed', failure: refusal, ...nothing('DOCUMENT_TOO_LARGE') },
    ]);
  });

  const nothing = (reason: string) => ({
    finalAnalysis: null,
    executiveSummary: null,
    caveats: [],
    partial: { reason, text: expect.stringContaining('the executions have it') },
  });
});

describe('a session that is cancelled', () => {
  it.each<[TerminalStatus, string]>([
    ['completed', both],
    ['cancelled', 'logs: memory'],
    ['failed', 'logs: memory'],
  ])(
    'ends with the earlier findings, when its other agent is %s; nothing follows',
    (status, finalAnalysis) => {
      const executions = [execution('logs', 'completed'), execution('metrics', status)];
      for (const stages of [alone, synthesized, twoStages]) {
        const decision = decideStage(session(stages, { status: 'cancelling' }), stage(), executions, [], now);
        expect(decision).toMatchObject({
          kind: 'end_session',
          end: { status: 'cancelled', failure: { code: 'CANCELLED' }, finalAnalysis },
        });
      }
    },
  );

  it('is cancelled also when its time is up', () => {
    const late = session(twoStages, { status: 'cancelling', deadline: now });
    expect(decideStage(late, stage(), twoAgents, [], now)).toMatchObject({ end: { status: 'cancelled' } });
  });
});

describe('the answer to a question', () => {
  const chat = (overrides: Partial<Stage> = {}, agents = ['chat']) =>
    stage({ kind: 'chat', index: 3, ...overrides }, agents);
  const ended = session(twoStages, { status: 'completed' });

  it('ends with its execution, with or without success, whatever the session is', () => {
    for (const status of ['completed', 'failed'] as const) {
      expect(decideStage(ended, chat(), [execution('chat', status)], [], now)).toMatchObject({
        kind: 'end_question',
        outcome: { status },
      });
    }
  });

  it('is running until then', () => {
    const running = { kind: 'running' };
    expect(decideStage(ended, chat(), [execution('chat', 'active')], [], now)).toEqual(running);
    const one = [execution('chat', 'completed')];
    expect(decideStage(ended, chat({}, ['chat', 'more']), one, [], now)).toEqual(running);
  });

  it.each(TERMINAL_STATUSES)('leaves nothing to do when it is %s', (status) => {
    expect(decideStage(ended, chat({ status }), [execution('chat', 'completed')], [], now)).toEqual({
      kind: 'session_ended',
    });
  });
});

describe('a stage that a feature inserts', () => {
  const judgement: Judgement = { apply: (judged) => ({ session: judged, writes: [], announced: {} }) };
  const inserted: InsertedStage = {
    kind: 'claims',
    prepare: () => Promise.reject(new Error('not prepared here')),
    otherwise: judgement,
  };
  const places: StagePlace[] = [];
  const inserting = (answer: Inserted): StageFeature => ({
    insertStage: (place) => {
      places.push(place);
      return answer;
    },
  });
  const found = twoAgents.map(({ agentName, finalAnalysis }) => ({
    agent: agentName,
    analysis: finalAnalysis,
    caveats: [],
  }));
  const decideWith = (stages: StagePlan[], answer: Inserted, overrides: Partial<Session> = {}) =>
    decideStage(session(stages, overrides), stage(), twoAgents, [], now, [], {
      features: [inserting(answer)],
    });

  it.each([
    ['before the next one', twoStages, { nextIndex: 2, isLast: false }],
    ['before a synthesis', synthesized, { nextIndex: undefined, isLast: false }],
    ['before the end', alone, { nextIndex: undefined, isLast: true }],
  ])('is asked for %s, with all that is known', (_, stages, place) => {
    places.length = 0;
    const tokens = { ...sampleSession().tokens, total: 7 };
    const decision = decideWith(stages, { stage: inserted }, { tokens });
    expect(places).toEqual([
      {
        session: session(stages, { tokens }),
        index: 1,
        findings: found,
        analysis: both,
        executions: twoAgents,
        tokens: 7 + 2 * sampleExecution().tokens.total,
        ...place,
      },
    ]);
    expect(decision).toMatchObject({
      kind: 'start',
      next: { index: 1, kind: 'claims', findings: found, inserted },
    });
    const conclusion = place.isLast
      ? {
          status: 'completed',
          failure: null,
          finalAnalysis: both,
          caveats: [],
          executiveSummary: null,
          partial: null,
        }
      : undefined;
    expect(decision.kind === 'start' && decision.conclusion).toEqual(conclusion);
  });

  it('is judged without it only where the session ends', () => {
    expect(decideWith(alone, { without: judgement })).toMatchObject({ kind: 'end_session', judgement });
    const next = decideWith(twoStages, { without: judgement });
    expect(next).toMatchObject({ kind: 'start', next: { index: 2, kind: 'investigation' } });
    expect(next).not.toHaveProperty('judgement');
  });

  it('gives a session its answer when there is no other', () => {
    const answer = { finding: { agent: 'rules', analysis: 'By rule.' }, caveat: 'BY_RULE' as const };
    const judging = { judgement: { ...judgement, answer } };
    const decided = (executions: Execution[], stages = alone) =>
      decideStage(session(stages), stage(), executions, [], now, [], judging);
    expect(decided([execution('logs', 'failed'), execution('metrics', 'failed')])).toMatchObject({
      kind: 'end_session',
      end: {
        status: 'failed',
        finalAnalysis: 'By rule.',
        caveats: [{}, {}, { executionId: '01-logs', code: 'BY_RULE' }],
      },
      ...judging,
    });
    expect(decided(twoAgents)).toMatchObject({ end: { finalAnalysis: both, caveats: [] } });
    expect(decided(twoAgents, twoStages)).toMatchObject({ kind: 'start' });
  });

  const claims = stage({ kind: 'claims' }, ['claims']);
  const concluded = { conclusion: { status: 'failed' as const, failure: FAILURES.failed } };
  const afterwards = (
    stages: StagePlan[],
    given: Judgement | undefined,
    overrides: Partial<Session> = {},
  ) => {
    const executions = [execution('claims', 'completed', { caveats: ['BY_RULE'] })];
    return decideStage(session(stages, overrides), claims, executions, look, now, [], { judgement: given });
  };

  it('is followed by the next stage of the chain, or by the one that its judgement names', () => {
    const third = [...twoStages, plan('act', ['act'])];
    const findings = found.map((finding) => ({ ...finding, stage: 'look' }));
    const next = (given: Judgement | undefined) => afterwards(third, given);
    expect(next(undefined)).toMatchObject({
      kind: 'start',
      next: { index: 2, kind: 'investigation', findings },
    });
    const named = { ...judgement, nextIndex: 3 };
    expect(next(named)).toMatchObject({ kind: 'start', next: { index: 3, findings }, judgement: named });
    expect(next(judgement)).toMatchObject({ kind: 'end_session', judgement });
  });

  it('ends the session behind the last stage, with what was found before', () => {
    expect(afterwards(alone, undefined)).toMatchObject({
      kind: 'end_session',
      end: { status: 'completed', finalAnalysis: both, caveats: [] },
    });
    expect(afterwards(twoStages, { ...judgement, nextIndex: 2 }, concluded)).toMatchObject({
      kind: 'end_session',
      end: { ...concluded.conclusion, finalAnalysis: both },
    });
  });

  it('ends the session at its deadline, and when it was cancelled', () => {
    const given = { ...judgement, nextIndex: 2, again: inserted };
    expect(afterwards(twoStages, given, { deadline: now })).toMatchObject({
      kind: 'end_session',
      end: { status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' }, finalAnalysis: both },
      judgement: given,
    });
    expect(afterwards(twoStages, given, { status: 'cancelling' })).toMatchObject({
      kind: 'end_session',
      end: { status: 'cancelled', finalAnalysis: both },
      judgement: given,
    });
  });

  it('can be followed by a further one, which keeps the conclusion of the session', () => {
    const given = { ...judgement, again: inserted };
    const again = afterwards(twoStages, given);
    expect(again).toMatchObject({
      kind: 'start',
      next: { index: 1, kind: 'claims', findings: found, inserted },
    });
    expect(again).not.toHaveProperty('conclusion');
    expect(afterwards(alone, given, concluded)).toMatchObject({
      kind: 'start',
      conclusion: { ...concluded.conclusion, finalAnalysis: both },
    });
  });

  it('is followed by the executive summary, which is told why the session ended early', () => {
    const summary = sampleAgent({ name: 'executive-summary', strategy: 'executive-summary' });
    const chain = { ...session(alone).chain, summary };
    const next = (overrides: Partial<Session>) => afterwards(alone, judgement, { chain, ...overrides });
    expect(next(concluded)).toMatchObject({
      kind: 'start',
      next: { index: 2, kind: 'exec_summary', findings: found, endedEarly: 'MODEL_BLOCKED' },
      judgement,
    });
    const completed = next({ conclusion: { status: 'completed', failure: null } });
    expect(completed).toMatchObject({ next: { kind: 'exec_summary' } });
    expect(completed.kind === 'start' && completed.next).not.toHaveProperty('endedEarly');
  });
});

describe("the session's deadline", () => {
  const at = (stages: StagePlan[], deadline: Date) =>
    decideStage(session(stages, { deadline }), stage(), twoAgents, [], now);

  it.each([
    ['a synthesis', synthesized],
    ['another stage', twoStages],
  ])('keeps %s from starting from that moment on, and keeps the findings', (_, stages) => {
    expect(at(stages, now)).toMatchObject({
      kind: 'end_session',
      end: { status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' }, finalAnalysis: both },
      outcome: { status: 'completed' },
    });
    expect(at(stages, new Date(now.getTime() + 1)).kind).toBe('start');
  });

  it('takes nothing from a session that had nothing left to do', () => {
    expect(at(alone, now)).toMatchObject({ end: { status: 'completed', failure: null } });
  });

  it('is why a session is timed out, also when another of its agents failed before', () => {
    const executions = [execution('logs', 'failed'), execution('metrics', 'timed_out')];
    for (const order of [executions, executions.toReversed()]) {
      expect(decideStage(session(alone), stage(), order, [], now)).toMatchObject({
        end: { status: 'timed_out', failure: { code: 'DEADLINE_EXCEEDED' } },
      });
    }
  });
});

describe('whatever the state', () => {
  const statuses: Execution['status'][] = ['pending', 'active', ...TERMINAL_STATUSES];
  const states = fc.record({
    sessionStatus: fc.constantFrom<Session['status']>('in_progress', 'cancelling', ...TERMINAL_STATUSES),
    stageStatus: fc.constantFrom<Stage['status']>('active', 'active', ...TERMINAL_STATUSES),
    kind: fc.constantFrom('investigation' as const, 'synthesis' as const),
    index: fc.constantFrom(1, 2),
    hasSynthesis: fc.boolean(),
    executions: fc.array(fc.constantFrom(...statuses), { minLength: 1, maxLength: 3 }),
    missing: fc.boolean(),
    late: fc.boolean(),
  });

  /** Every decision with the only states it may follow from; exactly one of them fits any state. */
  const rules = {
    session_ended: (s) => isTerminal(s.sessionStatus),
    already_advanced: (s) => !isTerminal(s.sessionStatus) && isTerminal(s.stageStatus),
    running: (s) => isOpen(s) && !allEnded(s),
    start: (s) => isOpen(s) && allEnded(s) && mayGoOn(s) && somethingFollows(s),
    end_session: (s) => isOpen(s) && allEnded(s) && !(mayGoOn(s) && somethingFollows(s)),
  } satisfies Record<string, (state: State) => boolean>;
  type State = typeof states extends fc.Arbitrary<infer T> ? T : never;
  const isOpen = (s: State) => !isTerminal(s.sessionStatus) && !isTerminal(s.stageStatus);
  const allEnded = (s: State) => !s.missing && s.executions.every(isTerminal);
  const mayGoOn = (s: State) =>
    s.sessionStatus === 'in_progress' &&
    !s.late &&
    s.executions.includes('completed') &&
    !s.executions.includes('cancelled');
  const somethingFollows = (s: State) => s.index === 1 || (s.kind === 'investigation' && s.hasSynthesis);

  const decided = (state: State) => {
    const names = state.executions.map((_, index) => `agent${index}`);
    const found = state.executions.map((status, index) => execution(names[index] ?? '', status));
    const synthesis = state.hasSynthesis || state.kind === 'synthesis' ? 'synth' : null;
    const chain = [plan('look', names, synthesis), plan('judge', names, synthesis)];
    return decideStage(
      session(chain, { status: state.sessionStatus, deadline: state.late ? now : minutes(1) }),
      stage({ status: state.stageStatus, kind: state.kind, index: state.index }, names),
      state.missing ? found.slice(1) : found,
      look,
      now,
    );
  };

  it('exactly one decision follows from it', () => {
    fc.assert(
      fc.property(states, (state) => {
        const fitting = Object.entries(rules).filter(([, fits]) => fits(state));
        expect(fitting.map(([kind]) => kind)).toEqual([decided(state).kind]);
      }),
      { numRuns: 5_000 },
    );
  });

  it('a session that ends has a reason, unless it is completed with a result', () => {
    fc.assert(
      fc.property(states, (state) => {
        const decision = decided(state);
        if (decision.kind !== 'end_session') return;
        const { status, failure, finalAnalysis } = decision.end;
        if (status === 'completed')
          expect({ failure, finalAnalysis }).toEqual({ failure: null, finalAnalysis: expect.any(String) });
        if (status === 'cancelled') expect(failure?.code).toBe('CANCELLED');
        if (status === 'timed_out') expect(failure?.code).toBe('DEADLINE_EXCEEDED');
        if (status === 'failed') expect(failure?.code).toBe('MODEL_BLOCKED');
      }),
      { numRuns: 5_000 },
    );
  });
});
