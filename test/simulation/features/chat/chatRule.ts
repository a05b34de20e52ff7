// Checks promises to askers: a question is answered once, alone, and changes no conclusion.

import { isDeepStrictEqual } from 'node:util';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import type { Stage } from '../../../../shared/core/schema/stage.ts';
import type { TimelineEvent } from '../../../../shared/core/schema/timelineEvent.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';

/** What a session concluded. */
function readConclusion(session: Session) {
  const {
    openStage: _1,
    questions: _2,
    tokens: _3,
    cost: _4,
    dueAt: _5,
    steering: _6,
    waitedUntil: _7,
    parts: { modelOutages: _8, ...parts },
    ...concluded
  } = session;
  return { ...concluded, parts };
}

/** Whether two states of a session that has ended conclude the same. */
export function isSameConclusion(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(readConclusion(one as Session), readConclusion(other as Session));
}

/** Checks the record of a run in which people asked. */
export function checkChat({ plan, record }: World, violate: Violate): void {
  if (!plan.asked) return;
  const sessions = new Map<string, Session>();
  const asked = new Map<string, string[]>();
  for (const { writes } of record.commits) {
    for (const { op, path, value } of writes) {
      const [, sessionId = '', collection] = path.split('/');
      if (collection === 'stages' && op === 'create' && (value as Stage).kind === 'chat') {
        const before = sessions.get(sessionId);
        if (before?.openStage !== null)
          violate('chat', `${path} begins beside ${before?.openStage?.stageId}`);
        if (before !== undefined && !isTerminal(before.status))
          violate('chat', `${path} begins in a session that is ${before.status}`);
      }
      const event = value as TimelineEvent;
      if (collection === 'timeline' && event.eventType === 'user_question')
        asked.set(event.content, [...(asked.get(event.content) ?? []), event.executionId]);
    }
    const written = writes.find(({ path }) => /^sessions\/[^/]+$/.test(path));
    if (written !== undefined) sessions.set(written.path.split('/')[1] ?? '', written.value as Session);
  }
  for (const { mark, outcome } of record.asked) {
    const found = asked.get(`Why ${mark}?`) ?? [];
    if (found.length > 1) violate('chat', `${mark} was asked ${found.length} times: ${found.join()}`);
    if (outcome === 'asked' && found.length === 0)
      violate('chat', `${mark} counts as asked, and is not stored`);
    if (outcome !== null && outcome !== 'asked' && found.length > 0)
      violate('chat', `${mark} was refused (${outcome}), and is stored`);
  }
  for (const { sessionId, openStage, questions } of record.sessions.values()) {
    if (record.expired.has(sessionId)) continue;
    if (openStage !== null) violate('chat', `${sessionId} still answers ${openStage.stageId}`);
    const own = record.commits
      .flatMap(({ writes }) => writes)
      .filter(({ op, path, value }) => {
        const [, id, collection] = path.split('/');
        return (
          id === sessionId && collection === 'stages' && op === 'create' && (value as Stage).kind === 'chat'
        );
      });
    if (own.length !== questions)
      violate('chat', `${sessionId} counts ${questions} questions, and has ${own.length}`);
  }
}
