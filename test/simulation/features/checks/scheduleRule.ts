// Promises of checks: each due time has one check or a reason, each check one session.

import { checkEnd, checkPart, resultIn } from '../../../../shared/alerts/schema/sessionCheck.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import { readPart } from '../../../../shared/core/schema/parts.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import type { Check, ScheduleState } from '../../../../shared/features/checks/check.ts';
import { checkType } from '../../../../shared/lists/documents.ts';
import type { AppliedCommit } from '../../record.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { AFTER_CHANGE_MS, type RequestedChecks, RHYTHM_MS, START_WITHIN_MS } from './simulatedSchedules.ts';

/** Publications before a check is refused. */
const MOST_MESSAGES = 20;

/** Checks the checks of a run. */
export async function checkChecks(
  world: World,
  violate: Violate,
  { requested }: { requested: RequestedChecks },
): Promise<void> {
  const { plan, record, reader } = world;
  if (!plan.checks) return;
  checkSchedules(world, violate);
  const checks = (await reader.list({ collection: 'checks' }, checkType)).map(({ value }) => value);
  const sessions = [...record.sessions.values()].filter(({ kind }) => kind === 'check');
  for (const check of checks) {
    const own = sessions.filter((session) => readPart(checkPart, session)?.checkId === check.checkId);
    checkSession(check, own, world, violate);
  }
  for (const session of sessions) {
    const own = readPart(checkPart, session)?.checkId;
    if (!checks.some(({ checkId }) => checkId === own))
      violate('checks', `nothing requested ${own} of ${session.sessionId}`);
  }
  for (const [title, at] of requested.changes) {
    const slots = checks
      .filter(({ content }) => content?.title.includes(title))
      .map(({ slot }) => slot.getTime());
    const wanted = at === null ? [] : [at + AFTER_CHANGE_MS];
    if (slots.join() !== wanted.join()) violate('checks', `${title} of ${at} is checked at ${slots}`);
  }
  for (const [key, ids] of requested.keys) {
    const own = checks.filter(({ content }) => content?.title === `Check ${key}`);
    if (own.length > 1 || ids.some((id) => id !== own[0]?.checkId))
      violate('checks', `${key} has the checks ${own.map(({ checkId }) => checkId)}, and was given ${ids}`);
  }
}

/** A check has one session, after its time, with the end before; or is refused. */
function checkSession(check: Check, own: Session[], { record, plan }: World, violate: Violate): void {
  const { checkId, state, sessionId, attempts, slot, previousId } = check;
  if (own.length > 1) violate('checks', `${checkId} has ${own.length} sessions`);
  const [session] = own;
  if (state === 'refused' && (attempts < MOST_MESSAGES || session !== undefined))
    violate('checks', `${checkId} is refused after ${attempts} messages: ${check.reason}`);
  if (state === 'refused') return;
  const noted = session && readPart(checkPart, session);
  if (state !== 'opened' || session === undefined || session.sessionId !== sessionId || !noted) {
    violate('checks', `${checkId} is ${state}, and its sessions are ${own.map((one) => one.sessionId)}`);
    return;
  }
  const early = slot.getTime() - session.createdAt.getTime() - 2 * plan.maxSkewMs;
  if (early > 0) violate('checks', `${checkId} begins ${early} ms early`);
  const { status, finalAnalysis } = session;
  const before = [...record.sessions.values()].find(
    (one) => readPart(checkPart, one)?.checkId === previousId,
  );
  const earlier = before && readPart(checkPart, before);
  const isComparable = before && earlier && isTerminal(before.status);
  const previous = isComparable ? checkEnd(earlier, before.status as never) : null;
  if (noted.previous !== previous && noted.previous !== null)
    violate('checks', `${checkId} follows a check that is ${previous}, and is told ${noted.previous}`);
  const result = status === 'completed' ? resultIn(finalAnalysis) : null;
  if (noted.result !== result) violate('checks', `${checkId} is ${noted.result}, its analysis ${result}`);
}

/** Each write of a schedule states what became of every time since the one before. */
function checkSchedules({ record }: World, violate: Violate): void {
  const states = new Map<string, ScheduleState>();
  const checks = new Map<string, Check>();
  const sessions = new Map<string, Session>();
  for (const commit of record.commits) {
    for (const { path, value } of commit.writes) {
      const [root, id = ''] = path.split('/');
      if (root !== 'schedules') continue;
      checkTimes(states.get(id), value as ScheduleState, commit);
      states.set(id, value as ScheduleState);
    }
    for (const { path, value } of commit.writes) {
      const [root, id = '', collection] = path.split('/');
      if (root === 'checks') checks.set(id, value as Check);
      if (root === 'sessions' && collection === undefined) sessions.set(id, value as Session);
    }
  }

  function checkTimes(
    was: ScheduleState | undefined,
    is: ScheduleState,
    { at, by, writes }: AppliedCommit,
  ): void {
    const { name, recent, missed, overlaps, handledUntil } = is;
    const added = recent.slice(0, recent.length - (was?.recent.length ?? 0)).toReversed();
    const count = (outcome: string) => recent.filter((slot) => slot.outcome === outcome).length;
    if (missed !== count('missed') || overlaps !== count('overlap'))
      violate('schedules', `${name} counts ${missed} missed and ${overlaps} skipped times`);
    if (was === undefined) return;
    const [from, to] = [was.handledUntil.getTime(), handledUntil.getTime()];
    if (to < from) violate('schedules', `${name} forgets ${from - to} ms that were handled`);
    const first = (Math.floor(from / RHYTHM_MS) + 1) * RHYTHM_MS;
    const isSwept = by.target === 'sweep';
    const due = isSwept
      ? Array.from(
          { length: Math.max(0, Math.floor((to - first) / RHYTHM_MS) + 1) },
          (_, n) => first + n * RHYTHM_MS,
        )
      : [];
    const slots = added.filter((slot) => slot.by === null).map(({ slot }) => slot.getTime());
    if (slots.join() !== due.join())
      violate('schedules', `${name} had ${due.length} times to handle, and states ${slots.length}`);
    if (isSwept && was.paused !== null) violate('schedules', `${name} runs while it is paused`);
    const created = writes.filter(({ op, path }) => op === 'create' && path.startsWith('checks/'));
    const requested = added.filter(({ outcome }) => outcome === 'requested');
    const ids = created.map(({ path }) => path.split('/')[1]);
    if (ids.join() !== requested.map(({ checkId }) => checkId).join())
      violate('schedules', `${name} requests ${requested.length} checks, and stores ${ids}`);
    const now = at + by.process.maxSkewMs;
    for (const [index, { slot, outcome }] of added.entries()) {
      const isLast = index === added.length - 1;
      if (outcome === 'missed' && isLast && now - slot.getTime() < START_WITHIN_MS)
        violate('schedules', `${name} counts ${slot.toISOString()} as missed`);
      if (outcome === 'overlap' && !isRunning(was.checkId))
        violate('schedules', `${name} skips ${slot.toISOString()}, and ${was.checkId} has ended`);
      if (outcome === 'requested' && isRunning(was.checkId))
        violate('schedules', `${name} requests a check beside ${was.checkId}`);
      if (outcome === 'requested' && slot.getTime() > now)
        violate('schedules', `${name} requests a check of ${slot.toISOString()} early`);
    }
    /** Whether a check had not ended, and when: between the process's start and now. */
    function isRunning(checkId: string | null): boolean {
      const check = checks.get(checkId ?? '');
      if (check === undefined || check.state === 'refused') return false;
      const session = sessions.get(check.sessionId ?? '');
      return session === undefined || !isTerminal(session.status);
    }
  }
}
