import { expect, it } from 'vitest';
import { SAMPLE_TIME, sampleExecution, sampleSession } from '../../../test/support/samples.ts';
import { createDocument } from '../../core/contract/store.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { executionType, paths, sessionType } from '../../lists/documents.ts';
import { createLogger } from '../../log.ts';
import { createMemoryPublisher } from '../../store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../store/memory/memoryStore.ts';
import { composeState } from '../../wiring/composeState.ts';
import { resumeSession } from './pauseSession.ts';

const { sessionId, steering } = sampleSession();
const at = (seconds: number) => new Date(SAMPLE_TIME.getTime() + seconds * 1_000);
const paused = { ...steering, paused: { by: 'bob', at: SAMPLE_TIME } };

/** The executions that `resume` publishes. Each is written at its second. */
async function resume(session: Partial<Session>, executions: Record<string, [number, Partial<Execution>]>) {
  let now = SAMPLE_TIME;
  const store = createMemoryStore(() => now);
  await store.commit([createDocument(paths.session(sessionId), sessionType, sampleSession(session))]);
  for (const [executionId, [seconds, changes]] of Object.entries(executions)) {
    now = at(seconds);
    const path = paths.execution(sessionId, executionId);
    await store.commit([
      createDocument(path, executionType, sampleExecution({ executionId, lease: null, ...changes })),
    ]);
  }
  const publisher = createMemoryPublisher();
  const clock = { now: () => at(60), every: () => () => {}, after: () => () => {} };
  const deps = composeState({
    store,
    publisher,
    clock,
    log: createLogger({ LOG_LEVEL: 'silent' }),
  });
  const { kind, ...outcome } = await resumeSession(sessionId, { by: 'ada' }, deps);
  const { published } = publisher;
  if ('published' in outcome) expect(outcome.published).toBe(published.length);
  return [kind, ...published.map(({ attributes }) => attributes.executionId)];
}

const EXECUTIONS: Parameters<typeof resume>[1] = {
  '01-a': [10, {}],
  '01-b': [20, { status: 'waiting' }],
  '01-c': [30, { status: 'completed', endedAt: at(30), due: {} }],
  '01-held': [10, { lease: { holder: 'a', messageId: 'm', until: at(61) } }],
  '01-d': [40, { status: 'pending', publishedIteration: 0 }],
};

it('a resumption publishes all that is open and does not wait', async () => {
  expect(await resume({ steering: paused }, EXECUTIONS)).toEqual(['resumed', '01-a', '01-d', '01-held']);
});

it('one that comes again publishes only messages that were not written since the first', async () => {
  const resumed = { steering: { ...steering, resumedAt: at(30) } };
  expect(await resume(resumed, EXECUTIONS)).toEqual(['not_paused', '01-a']);
});

it('a session that was never paused has nothing to publish', async () => {
  expect(await resume({}, EXECUTIONS)).toEqual(['not_paused']);
});

it('a session that has ended is not resumed', async () => {
  expect(await resume({ status: 'completed', steering: paused }, EXECUTIONS)).toEqual(['not_running']);
});
