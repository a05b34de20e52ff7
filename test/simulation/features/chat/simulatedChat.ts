// Simulates people who ask questions about sessions: as soon as one has ended and before, twice, two at the
// same moment, again when it failed; and people who cancel the answers.

import { InquestError } from '../../../../shared/core/errors.ts';
import type { RuntimeDeps } from '../../../../shared/core/kernel/deps.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import { cancelSession } from '../../../../shared/core/session/cancelSession.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { askQuestion } from '../../../../shared/kits/questions/askQuestion.ts';
import { MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';

/** How often people look whether a session can be asked. */
const LOOK_EVERY_MS = 7_000;
/** Questions that are tried about one session; of those, many are refused. */
const MAX_TRIES = 8;
/** What was asked may be stored so much later. */
const LATEST_COMMIT_MS = 35 * MINUTE;
/** People have given up by then. */
const LAST_LOOK_MS = 150 * MINUTE;

/**
 * Draws what people ask about the sessions of a run. `random` draws it alone, so that other runs do not
 * change.
 * @returns whether nobody is going to ask any more.
 */
export function askAtSomeTimes(
  sessionIds: () => string[],
  cloud: Cloud,
  world: World,
  random: Random,
): () => boolean {
  const { plan, time, record } = world;
  if (!plan.asked) return () => true;
  const start = time.now();
  const wanted = Array.from({ length: plan.sessions }, () => random.int(1, 2));
  const tries = wanted.map(() => 0);
  let lastAsked = start;
  const isDone = (position: number): boolean => {
    const sessionId = sessionIds()[position];
    const session = record.sessions.get(sessionId ?? '');
    if (time.now() - start > LAST_LOOK_MS || (tries[position] ?? 0) >= MAX_TRIES) return true;
    if (sessionId === undefined || session === undefined) return false;
    return record.expired.has(sessionId) || session.questions >= (wanted[position] ?? 0);
  };
  const look = (position: number): void => {
    if (isDone(position)) return;
    time.after(LOOK_EVERY_MS, () => look(position));
    const sessionId = sessionIds()[position];
    const session = record.sessions.get(sessionId ?? '');
    if (sessionId === undefined || session === undefined) return;
    const canBeAsked = isTerminal(session.status) && session.openStage === null;
    if (!random.chance(canBeAsked ? 0.7 : 0.02)) return;
    tries[position] = (tries[position] ?? 0) + 1;
    lastAsked = time.now();
    const copies = random.chance(0.2) ? 2 : 1;
    for (let copy = 1; copy <= copies; copy++) ask(sessionId, cloud, world);
    if (isTerminal(session.status) && random.chance(0.15))
      time.after(random.int(0, 20_000), () => cancel(sessionId, cloud, world));
  };
  for (const position of wanted.keys()) time.after(LOOK_EVERY_MS, () => look(position));
  return () => time.now() - lastAsked > LATEST_COMMIT_MS && wanted.every((_, position) => isDone(position));
}

/** A person asks about a session now. */
export function ask(sessionId: string, cloud: Cloud, world: World): void {
  const asked: World['record']['asked'][number] = { sessionId, mark: world.nextMark(), outcome: null };
  world.record.asked.push(asked);
  world.traceLine(`a person asks ${sessionId} about ${asked.mark}`);
  perform('ask', cloud, async (deps) => {
    const outcome = await askQuestion(sessionId, { text: `Why ${asked.mark}?`, by: 'ada' }, deps);
    asked.outcome = outcome.kind;
  });
}

function cancel(sessionId: string, cloud: Cloud, world: World): void {
  world.traceLine(`a person cancels what ${sessionId} is asked`);
  perform('cancel', cloud, async (deps) => {
    await cancelSession(sessionId, deps, { by: 'ada', reason: null });
  });
}

/** A person acts. A failed act is not repeated: the sweep finishes the stored part. */
export function perform(
  name: 'ask' | 'cancel' | 'work' | 'request' | 'schedule' | 'mention' | 'fork',
  cloud: Cloud,
  act: (deps: RuntimeDeps) => Promise<void>,
): void {
  cloud.invoke(
    name,
    async (_, deps) => {
      try {
        await act(deps);
      } catch (error) {
        if (!(error instanceof InquestError)) throw error;
      }
    },
    undefined,
  );
}
