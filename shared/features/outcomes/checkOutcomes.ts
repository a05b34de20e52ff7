// The part of the sweep that checks 30 minutes and 24 hours after a session whether its problem is over.

import { announce } from '../../core/contract/announce.ts';
import type { Store } from '../../core/contract/store.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { errorMessage, InquestError, TerminalError } from '../../core/errors.ts';
import { readMessages } from '../../core/kernel/conversation/conversation.ts';
import { CRASH_POINTS } from '../../core/kernel/crashPoints.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import type { FeatureReport, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { PROBE_STRATEGY } from '../../core/schema/agent.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { composeExecutionId, paths, sessionType, stageType } from '../../core/schema/coreDocuments.ts';
import type { Session } from '../../core/schema/session.ts';
import { compareText } from '../../evidence/probe.ts';
import { buildStoredText } from '../../evidence/storedText.ts';
import {
  CHECKS_AFTER_MS,
  type Outcome,
  type OutcomeCheck,
  outcomeType,
  type Probe,
} from '../../kits/alerts/outcome.ts';
import { readPieces } from '../../kits/claims/readPieces.ts';
import { collectedId } from '../../schema/collected.ts';
import { quoteText } from '../../text/cut.ts';
import { recordOutcome } from './recordOutcome.ts';
import { startProbes } from './startProbes.ts';

/** Characters of an error in a reason. */
const MAX_ERROR = 200;

/** Outcomes that one run handles. */
const MAX_DUE = 50;
/** The pause while a check runs, or its session is busy. */
const AGAIN_MS = 60_000;

/** Starts and ends due checks. The report contains their errors. */
export const OUTCOMES: SweepFeature = {
  async run(deps) {
    const report: FeatureReport = { started: 0, failures: [] };
    const fail = (sessionId: string, error: unknown): void => {
      if (!(error instanceof InquestError)) throw error;
      const message = `outcome: ${errorMessage(error)}`;
      report.failures.push({ sessionId, code: error.code, message });
      deps.log.error({ sessionId, err: error }, `an outcome was not checked: ${message}`);
    };
    const query = { collectionId: 'outcomes', field: 'dueAt', to: deps.clock.now(), limit: MAX_DUE };
    try {
      for await (const page of deps.store.findByTime(query)) {
        for (const path of page) {
          const sessionId = path.split('/')[1] ?? '';
          await handleDue(sessionId, deps).then(
            (isStarted) => {
              if (isStarted) report.started += 1;
            },
            (error: unknown) => fail(sessionId, error),
          );
        }
        break;
      }
    } catch (error) {
      fail('outcomes', error);
    }
    return report;
  },
};

/** Takes the next step of a session's checks; true if one was started. */
async function handleDue(sessionId: string, deps: StateDeps): Promise<boolean> {
  const { store, clock, failpoint } = deps;
  const [session, outcome] = await Promise.all([
    store.get(paths.session(sessionId), sessionType),
    store.get(outcomeType.paths.outcome(sessionId), outcomeType),
  ]);
  const now = clock.now();
  if (outcome === undefined || outcome.value.dueAt === null || outcome.value.dueAt > now) return false;
  await failpoint?.(CRASH_POINTS.duringSweep);
  if (session === undefined) return postpone(outcome, null, deps);
  const again = new Date(now.getTime() + AGAIN_MS);
  const { checks, probes } = outcome.value;
  const running = checks.find(({ endedAt }) => endedAt === null);
  const next = nextCheck(outcome.value);
  if (running?.stageId) {
    const stage = await store.get(paths.stage(sessionId, running.stageId), stageType);
    if (stage !== undefined && !isTerminal(stage.value.status)) return postpone(outcome, again, deps);
    const results = await readResults(sessionId, running.stageId, probes, store);
    return recordOrGiveUp(session.value, outcome, results, next, deps);
  }
  if (isBusy(session.value)) return postpone(outcome, now < session.value.expireAt ? again : null, deps);
  const { value, failure } = await captureFailure(startProbes(session, outcome, again, deps));
  if (typeof value === 'boolean') return value;
  // Nothing can ever be called: the outcome stays unknown, for this reason.
  const why = failure === undefined ? value : `The check cannot be stored: ${failure.message}`;
  const check = { stageId: null, startedAt: now, endedAt: null, results: [] };
  const failed = { ...outcome, value: { ...outcome.value, checks: [...checks, check] } };
  const results = probes.map(() => ({ holds: null, why }));
  await recordOrGiveUp(session.value, failed, results, null, deps);
  if (failure !== undefined) throw new TerminalError(failure.code, failure.message);
  return false;
}

/** Ends a check. @throws TerminalError for a document that cannot be read; then no further check is due. */
async function recordOrGiveUp(...ended: Parameters<typeof recordOutcome>): Promise<false> {
  const { failure } = await captureFailure(recordOutcome(...ended));
  if (failure === undefined) return false;
  const [, outcome, , , deps] = ended;
  await postpone(outcome, null, deps);
  throw new TerminalError(failure.code, failure.message);
}

const isBusy = ({ status, openStage }: Session): boolean => !isTerminal(status) || openStage !== null;

/** The time of the check after the latest one; null after the last one. */
function nextCheck({ checks, createdAt, expireAt }: Outcome): Date | null {
  const after = CHECKS_AFTER_MS[checks.length];
  if (after === undefined) return null;
  const at = new Date(createdAt.getTime() + after);
  return at < expireAt ? at : null;
}

async function postpone(
  { path, value, version }: Stored<Outcome>,
  dueAt: Date | null,
  deps: StateDeps,
): Promise<false> {
  const outcome = { ...value, dueAt };
  const batch = [replaceDocument(path, outcomeType, outcome, version)];
  await announce({ outcome: value }, { outcome }, batch, deps);
  return false;
}

/** The results of the probes, in their order. @throws RetryableError when the store fails. */
async function readResults(
  sessionId: string,
  stageId: string,
  probes: readonly Probe[],
  store: Store,
): Promise<OutcomeCheck['results']> {
  const executionId = composeExecutionId(Number(stageId.split('-')[0]), PROBE_STRATEGY);
  const { value: messages, failure } = await readMessages(store, sessionId, executionId);
  if (failure !== undefined) return probes.map(() => ({ holds: null, why: failure.message }));
  const blocks = [...messages.values()].flatMap((message) => message.blocks);
  return Promise.all(
    probes.map(async (probe, index) => {
      const block = blocks.find(
        (one) => one.blockType === 'tool_result' && one.toolUseId === collectedId(index),
      );
      if (block?.blockType !== 'tool_result') return { holds: null, why: `${probe.id} was not called.` };
      const unanswered = { holds: null, why: `${probe.id}: ${quoteText(block.textContent, MAX_ERROR)}` };
      if (block.isError) return unanswered;
      const pieces = block.stored && (await readPieces({ sessionId, executionId }, block.stored, store));
      const text = buildStoredText(block, pieces);
      if (text === undefined) return unanswered;
      const holds = compareText({ ...probe, value: probe.value ?? undefined }, text) ?? null;
      return { holds, why: holds === null ? `${probe.id}: its result has nothing to compare.` : null };
    }),
  );
}
