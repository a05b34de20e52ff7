// Checks what people who steer sessions rely on: guidance is stored once and reaches every later question to
// a model once; nothing begins while a session is paused; what no agent has read is reported.

import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Guidance } from '../../../../shared/core/schema/control.ts';
import type { Execution } from '../../../../shared/core/schema/execution.ts';
import type { Interaction } from '../../../../shared/core/schema/interaction.ts';
import type { Message } from '../../../../shared/core/schema/message.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import { type Thought, thoughtType } from '../../../../shared/features/interactions/thought.ts';
import type { AppliedCommit } from '../../record.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import { isUnanswered } from '../modelOutages/modelOutageRule.ts';

/** A guidance and when it was stored. */
interface StoredGuidance {
  value: Guidance;
  at: number;
}

/** Checks the record of a run whose sessions people steered. */
export function checkSteering(world: World, violate: Violate): void {
  const { plan, record } = world;
  if (!plan.steered) return;
  const guidance = documentsOf<Guidance>(record.commits, 'guidance');
  checkGuidanceShown(guidance, world, violate);
  checkConversations(guidance, world, violate);
  checkClaims(world, violate);
  for (const session of record.sessions.values()) {
    if (!record.expired.has(session.sessionId)) checkReports(session, guidance, world, violate);
  }
}

function documentsOf<T>(commits: AppliedCommit[], collection: string): { value: T; at: number }[] {
  return commits.flatMap(({ at, writes }) =>
    writes
      .filter(({ path }) => path.split('/')[2] === collection)
      .map(({ value }) => ({ value: value as T, at })),
  );
}

/** What a person said is stored once, however often it was tried; what was not stored was refused. */
function checkGuidanceShown(guidance: StoredGuidance[], { record }: World, violate: Violate): void {
  for (const { sessionId, mark, outcome } of record.told) {
    const stored = guidance.filter(
      ({ value }) => value.sessionId === sessionId && value.text.includes(mark),
    ).length;
    if (stored > 1) violate('guidance', `${mark} was stored ${stored} times`);
    if ((outcome === 'told' || outcome === 'told_before') && stored === 0)
      violate('guidance', `${mark} counts as ${outcome}, and is not stored`);
    const status = record.sessions.get(sessionId)?.status ?? 'deferred';
    if (outcome === 'not_running' && status === 'in_progress')
      violate('guidance', `${mark} was refused, but its session runs`);
  }
}

/** What existed before an iteration's load is in its request; nothing is repeated. */
function checkConversations(guidance: StoredGuidance[], { record }: World, violate: Violate): void {
  const messages = documentsOf<Message>(record.commits, 'messages');
  for (const { value } of guidance) {
    const mark = value.text.match(/#\d+#/)?.[0] ?? value.text;
    const holders = messages
      .filter(({ value: { role, blocks, sessionId } }) => {
        const text = sessionId === value.sessionId && role === 'user' ? JSON.stringify(blocks) : '';
        return text.includes('</guidance-') && text.includes(mark);
      })
      .map((message) => message.value);
    const told = new Set(holders.map(({ executionId }) => executionId));
    if (told.size < holders.length)
      violate('guidance', `an execution was told ${mark} twice: ${holders.map((one) => one.executionId)}`);
  }
  for (const { at: askedAt, by, writes } of record.commits) {
    const asked = writes.filter(({ path }) => path.split('/')[2] === 'interactions');
    const interactions = asked
      .map(({ value }) => value as Interaction)
      // Who answers questions or checks claims is told nothing of it.
      .filter(
        (one) =>
          one.interactionType !== 'executive_summary' && !/-(chat|check)(-m\d+)?$/.test(one.executionId),
      )
      // Of a call that no model began to answer nothing is stored, and what was said is said again.
      .filter((one) => !isUnanswered(one));
    for (const { executionId, sessionId, iteration, lastMessageId } of interactions) {
      // It can be deleted before it was read: a deleted session loses documents in any order.
      if (askedAt >= (record.expired.get(sessionId) ?? Number.POSITIVE_INFINITY)) continue;
      // A question in the background is stored by an earlier invocation; a repetition is the same request.
      const asker = record.commits.find(({ writes }) =>
        writes.some(({ type, value }) => {
          if (type !== (thoughtType as unknown)) return false;
          const thought = value as Thought | null;
          const isOwn = thought?.sessionId === sessionId && thought.executionId === executionId;
          return isOwn && thought.iteration === iteration;
        }),
      );
      const askedFrom = (asker?.by ?? by).startedAt;
      const last = Number(lastMessageId?.split('.').at(-1));
      const shown = messages.filter(
        ({ value }) =>
          value.sessionId === sessionId && value.executionId === executionId && value.sequenceNumber <= last,
      );
      const text = JSON.stringify(shown.map(({ value }) => value.blocks));
      for (const { value, at } of guidance) {
        const mark = value.text.match(/#\d+#/)?.[0] ?? value.text;
        if (value.sessionId === sessionId && at < askedFrom && !text.includes(mark))
          violate('guidance', `#${by.id} asked the model of ${executionId} without ${mark}`);
      }
    }
  }
}

/** No iteration is claimed by a process that began while its session was paused, and was so all the time. */
function checkClaims({ record }: World, violate: Violate): void {
  const pausedSince = new Map<string, number>();
  const holders = new Map<string, string | undefined>();
  for (const { at, by, writes } of record.commits) {
    for (const { path, value } of writes) {
      const [, sessionId = '', collection, id = ''] = path.split('/');
      if (collection === 'control') {
        const { paused } = value as { paused: boolean };
        if (!paused) pausedSince.delete(sessionId);
        else if (!pausedSince.has(sessionId)) pausedSince.set(sessionId, at);
      }
      if (collection !== 'executions') continue;
      const holder = (value as Execution).lease?.holder;
      const isClaim = holder !== undefined && holder !== holders.get(path);
      holders.set(path, holder);
      // A session that is being deleted loses documents in any order, its pause among them.
      const isGone = at >= (record.expired.get(sessionId) ?? Number.POSITIVE_INFINITY);
      if (isClaim && !isGone && (pausedSince.get(sessionId) ?? Number.POSITIVE_INFINITY) < by.startedAt)
        violate('pauses', `#${by.id} claims ${id}, whose session was paused before`);
    }
  }
}

/** A session that has ended says which guidance no agent has read, and names no other. */
function checkReports(
  { sessionId, status, steering }: Session,
  guidance: StoredGuidance[],
  { record }: World,
  violate: Violate,
): void {
  const numbers = guidance
    .filter(({ value }) => value.sessionId === sessionId)
    .map(({ value }) => value.number)
    .sort((a, b) => a - b);
  if (numbers.join() !== Array.from({ length: steering.guidance }, (_, index) => index + 1).join())
    violate('guidance', `${sessionId} counts ${steering.guidance}, and has ${numbers}`);
  if (!isTerminal(status)) return;
  const taken = [...record.executions.values()]
    // Who answers questions was told it as well, when the session had ended.
    .filter(({ value }) => value.sessionId === sessionId && !value.executionId.endsWith('-chat'))
    .map(({ value }) => value.guidanceTaken);
  const isUnread = Math.max(0, ...taken) < steering.guidance;
  const reports = documentsOf<TimelineEvent>(record.commits, 'timeline').filter(
    ({ value: event }) =>
      event.sessionId === sessionId &&
      event.eventType === 'notice' &&
      event.metadata.code === 'guidance_unread',
  ).length;
  if (reports !== (isUnread ? 1 : 0))
    violate('guidance', `${sessionId} was told ${steering.guidance}, read ${taken}, and reports ${reports}`);
}
