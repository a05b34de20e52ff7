// Records an action of another program in the timeline of a running investigation.

import { notSteered } from '../../api/http/notSteered.ts';
import { invalidField, Problem } from '../../api/http/problem.ts';
import type { Caller, RequestDeps } from '../../api/http/route.ts';
import { announce } from '../../core/contract/announce.ts';
import { createDocument } from '../../core/contract/store.ts';
import { RACE_LOST, retryLostRaces, SESSION_RACES } from '../../core/kernel/documents/retryConflict.ts';
import { replaceSession } from '../../core/kernel/session/replaceSession.ts';
import { nextPosition } from '../../core/kernel/session/sessionEvents.ts';
import { paths, SESSION_EVENTS, timelineEventType } from '../../core/schema/coreDocuments.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { readRunning } from '../../kits/steering/steerSession.ts';
import { cleanText } from '../../masking/cleanText.ts';
import type { JsonObject } from '../../text/json.ts';
import { buildActionResult, readAction } from './action.ts';

/** Maximum number of events that people and programs add to a session. */
const MAX_EVENTS = 200;

/**
 * Records an action, masked, with the name of the caller. An observation can name the session.
 * @param given the arguments of the tool `action`.
 * @returns the result of the tool.
 * @throws Problem for a session that does not run, or a payload of another form.
 */
export function recordAction(
  sessionId: string,
  given: JsonObject,
  { name: by }: Caller,
  deps: RequestDeps,
): Promise<JsonObject> {
  return retryLostRaces(`session ${sessionId}`, SESSION_RACES, async () => {
    const running = await readRunning(sessionId, deps);
    if (running.kind !== 'running') throw notSteered(sessionId, running, 'nothing is recorded any more');
    const session = running.session.value;
    const { steering, currentStageId: stageId, expireAt } = session;
    if (steering.events >= MAX_EVENTS)
      throw new Problem('SESSION_STATE', `session ${sessionId} has ${MAX_EVENTS} events, the maximum`);
    const masker = deps.maskerFor(session.maskKey);
    const mask = (text: string) => cleanText(masker, text).text;
    const read = readAction(given, mask);
    if (typeof read === 'string') throw invalidField('arguments.payload', read);
    const { type, json, name: title = session.title, event: draft } = read;
    const position = nextPosition(session);
    const event: TimelineEvent = {
      ...draft,
      content: `${mask(by)}: ${draft.content}`,
      sessionId,
      stageId,
      executionId: SESSION_EVENTS,
      parentExecutionId: null,
      sequenceNumber: position,
      iteration: null,
      status: 'completed',
      expireAt,
      createdAt: deps.clock.now(),
    };
    const changed = { ...session, title, steering: { ...steering, events: steering.events + 1 } };
    const writes = [
      replaceSession(running.session, changed, deps),
      createDocument(paths.event(sessionId, SESSION_EVENTS, position), timelineEventType, event),
    ];
    const result = await announce({ session }, { session: changed, events: [event] }, writes, deps);
    return result.ok ? buildActionResult(type, JSON.parse(json) as JsonObject) : RACE_LOST;
  });
}
