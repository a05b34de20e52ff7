// Checks calls that are repeated after a session: each check runs once, in its time, and changes nothing but
// the outcome, which follows from the stored results.

import { isDeepStrictEqual } from 'node:util';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import type { Stage } from '../../../../shared/core/schema/stage.ts';
import { verdictPart } from '../../../../shared/evidence/schema/verdict.ts';
import { OUTCOME_EVENTS, type Outcome, type OutcomeCheck } from '../../../../shared/kits/alerts/outcome.ts';
import {
  messageType,
  paths,
  resultPartType,
  timelineEventType,
  workType,
} from '../../../../shared/lists/documents.ts';
import type { AppliedCommit } from '../../record.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { isContrast, LIMIT, limitText } from '../claims/simulatedLedger.ts';

/** The checks of an outcome. */
const CHECKS = 2;

/** Whether an execution only repeats calls, for contrast or after the end. */
export const isProbe = ({ executionId }: { executionId: string }): boolean =>
  executionId.endsWith('-probe') || isContrast({ executionId });

/** Checks the outcomes of a run. */
export async function checkProbes(world: World, violate: Violate): Promise<void> {
  const { record } = world;
  checkCourse(world, violate);
  const asked = record.activities.find((one) => one.kind === 'model' && isProbe(one));
  if (asked !== undefined) violate('probes', `${asked.executionId} asks a model`);
  const changed = record.activities.find((one) => one.readOnly === false && isProbe(one));
  if (changed !== undefined) violate('probes', `${changed.executionId} changes something`);
  for (const outcome of record.outcomes.values()) {
    // Nothing but the sweep starts a check.
    if (!world.plan.sweep || record.expired.has(outcome.sessionId)) continue;
    await checkEnd(outcome, world, violate);
  }
}

/** Checks each write of an outcome, and the sessions around each check. */
function checkCourse({ record }: World, violate: Violate): void {
  const sessions = new Map<string, Session>();
  const outcomes = new Map<string, Outcome>();
  const stages = new Map<string, Stage>();
  /** Sessions at the start of a check. */
  const open = new Map<string, Session>();
  for (const commit of record.commits) {
    const created = commit.writes.filter(
      ({ op, path, value }) =>
        op === 'create' && path.split('/')[2] === 'stages' && (value as Stage).kind === 'probe',
    );
    for (const { path, value } of created) checkStart(path, value as Stage, commit);
    for (const { op, path, value } of commit.writes) {
      const [root, sessionId = '', collection] = path.split('/');
      if (root !== 'sessions') continue;
      if (collection === 'stages') stages.set(path, value as Stage);
      if (collection === 'outcomes' && op === 'replace')
        checkStep(outcomes.get(sessionId), value as Outcome, created.length);
      if (collection === 'outcomes') outcomes.set(sessionId, value as Outcome);
      if (collection !== undefined) continue;
      const session = value as Session;
      const before = open.get(sessionId);
      if (before !== undefined && !isSameSession(before, session))
        violate('probes', `${path} is not what it was before ${before.openStage?.stageId}`);
      if (created.length > 0) open.set(sessionId, session);
      else if (session.openStage === null) open.delete(sessionId);
      sessions.set(sessionId, session);
    }
  }

  function checkStart(path: string, { stageId }: Stage, { at, by, writes }: AppliedCommit): void {
    const [, sessionId = ''] = path.split('/');
    const session = sessions.get(sessionId);
    const outcome = outcomes.get(sessionId);
    if (session === undefined || !isTerminal(session.status) || session.openStage !== null)
      violate('probes', `${path} begins beside ${session?.openStage?.stageId}, ${session?.status}`);
    const early = (outcome?.dueAt?.getTime() ?? Number.POSITIVE_INFINITY) - at - by.process.maxSkewMs;
    if (early > 0) violate('probes', `${path} begins ${early} ms early`);
    const written = writes.find((write) => write.path === paths.outcome(sessionId))?.value as Outcome;
    if (written?.checks.at(-1)?.stageId !== stageId) violate('probes', `${path} is no check of its outcome`);
  }

  /** Checks are added at the end with their stages, and ended after them. */
  function checkStep(was: Outcome | undefined, is: Outcome, started: number): void {
    const { sessionId } = is;
    const added = is.checks.slice(was?.checks.length ?? 0);
    if (added.length > 1 || added.filter(({ stageId }) => stageId !== null).length !== started)
      violate('probes', `${sessionId} gets ${added.length} checks, and ${started} stages`);
    if (was === undefined || !isDeepStrictEqual(was.probes, is.probes))
      violate('probes', `the calls of ${sessionId} are others`);
    for (const [index, check] of (was?.checks ?? []).entries()) {
      const now = is.checks[index];
      if (check.endedAt !== null && !isDeepStrictEqual(check, now))
        violate('probes', `check ${index + 1} of ${sessionId} is changed after its end`);
      if (check.endedAt !== null || !now?.endedAt || now.stageId === null) continue;
      const stage = stages.get(paths.stage(sessionId, now.stageId));
      if (!isTerminal(stage?.status ?? 'pending'))
        violate('probes', `check ${index + 1} of ${sessionId} ends, and ${now.stageId} is ${stage?.status}`);
    }
  }
}

/** A check costs its session nothing; that it keeps its conclusion is a rule of all writes after its end. */
function isSameSession(before: Session, after: Session): boolean {
  const kept = ({ tokens, cost, questions, parts, finalAnalysis }: Session) => ({
    tokens,
    cost,
    questions,
    verdict: readPart(verdictPart, { parts }),
    finalAnalysis,
  });
  return isDeepStrictEqual(kept(before), kept(after));
}

/** Every check has ended, with one event, and the outcome is what results and approvals say. */
async function checkEnd(outcome: Outcome, world: World, violate: Violate): Promise<void> {
  const { sessionId, checks, dueAt, value } = outcome;
  const { reader, record } = world;
  const openStage = record.sessions.get(sessionId)?.openStage ?? null;
  const ended = checks.filter(({ endedAt }) => endedAt !== null);
  if (dueAt !== null || ended.length !== checks.length || openStage !== null)
    violate(
      'probes',
      `${sessionId} still waits for ${openStage?.stageId ?? 'a check'}: ${ended.length} of ${checks.length} have ended`,
    );
  const isGivenUp = checks.at(-1)?.stageId === null;
  if (checks.length !== CHECKS && !isGivenUp)
    violate('probes', `${sessionId} has ${checks.length} checks, not ${CHECKS}`);
  const timeline = await reader.list({ collection: paths.timeline(sessionId) }, timelineEventType);
  const events = timeline.filter((event) => event.value.executionId === OUTCOME_EVENTS);
  if (events.length !== ended.length)
    violate('probes', `${sessionId} has ${events.length} events of ${ended.length} checks`);
  for (const check of ended) await checkResults(outcome, check, world, violate);
  const wanted = await outcomeOf(outcome, world);
  if (ended.length > 0 && value !== wanted)
    violate('probes', `the outcome of ${sessionId} is ${value}, not ${wanted}`);
}

/** The results of a check are those of its stored messages. */
async function checkResults(
  { sessionId, probes }: Outcome,
  { stageId, results }: OutcomeCheck,
  { reader }: World,
  violate: Violate,
): Promise<void> {
  const executionId = `${stageId?.split('-')[0]}-probe`;
  const isOwn = (one: { value: { executionId: string } }) => one.value.executionId === executionId;
  const messages = (
    await reader.list({ collection: `${paths.session(sessionId)}/messages` }, messageType)
  ).filter(isOwn);
  const parts = (await reader.list({ collection: paths.results(sessionId) }, resultPartType)).filter(isOwn);
  const texts = messages.flatMap(({ value: { blocks, sequenceNumber } }) =>
    blocks.flatMap((block) => {
      if (block.blockType !== 'tool_result' || block.isError) return [];
      const stored = parts.filter(({ value }) => value.sequenceNumber === sequenceNumber);
      const text = [block.textContent, ...stored.map(({ value }) => value.text)].join('');
      return [{ id: block.toolUseId, text }];
    }),
  );
  for (const [index, probe] of probes.entries()) {
    const { name: pod } = JSON.parse(probe.arguments) as { name: string };
    const own = texts.filter(({ id }) => id === `collect_${index + 1}`);
    const found = own.flatMap(({ text }) => new RegExp(`${limitText(pod)} (\\d+)`).exec(text)?.[1] ?? []);
    const wanted = found.length === 0 ? null : found.every((limit) => Number(limit) > LIMIT);
    if (results[index]?.holds !== wanted)
      violate(
        'probes',
        `${executionId} found limits ${found} of ${pod}, and counts ${results[index]?.holds}: ${results[index]?.why}`,
      );
  }
}

/** The outcome that results, approvals and recorded actions allow. */
async function outcomeOf({ sessionId, checks, probes }: Outcome, { record, reader }: World): Promise<string> {
  const over = (check: OutcomeCheck) => check.results.map(({ holds }) => holds);
  const answered = checks.filter((check) => over(check).some((holds) => holds !== null));
  const latest = answered.at(-1);
  if (latest === undefined) return 'unknown';
  const wasOver = answered.some((check) => check !== latest && !over(check).includes(false));
  if (over(latest).includes(false)) return wasOver ? 'recurred' : 'unknown';
  const approved = [...record.approvals.values()].flatMap(({ status, decidedAt, arguments: text, ...one }) =>
    one.sessionId === sessionId && status === 'approved' && decidedAt !== null
      ? [{ text, at: decidedAt }]
      : [],
  );
  const work = await reader.list({ collection: paths.allWork(sessionId) }, workType);
  const acted = work.map(({ value }) => ({ text: value.text ?? '', at: value.createdAt }));
  const earlier = [...approved, ...acted].filter(({ at }) => at < latest.startedAt);
  if (earlier.length === 0) return 'self_resolved';
  const named = probes
    .filter((_, index) => latest.results[index]?.holds === true)
    .map(({ arguments: json }) => (JSON.parse(json) as { name: string }).name);
  return earlier.some(({ text }) => named.some((pod) => text.includes(pod))) ? 'held' : 'overridden';
}
