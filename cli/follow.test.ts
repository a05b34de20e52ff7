import { describe, expect, it } from 'vitest';
import { create, replace } from '../shared/contract/store.ts';
import type { ErrorCode } from '../shared/errors.ts';
import { paths, rejectedMessageType, sessionType, timelineEventType } from '../shared/schema/documents.ts';
import type { Session } from '../shared/schema/session.ts';
import { createMemoryStore } from '../shared/store/memory/memoryStore.ts';
import { hourOf } from '../shared/text/utcPeriod.ts';
import { sampleEvent, sampleRejectedMessage, sampleSession } from '../test/support/samples.ts';
import { followSession } from './follow.ts';

const alert = { sessionId: 'session-1', messageId: '42' };

/** A follower of a session, and the events it reported. */
function follow() {
  const store = createMemoryStore();
  const reported: string[] = [];
  const abort = new AbortController();
  const following = followSession(
    store,
    alert,
    ({ executionId, sequenceNumber }) => reported.push(`${executionId}.${sequenceNumber}`),
    abort.signal,
  );
  // A test that does not await it must not fail by an unhandled rejection.
  following.catch(() => {});
  const add = (executionId: string, ...numbers: number[]) =>
    store.commit(
      numbers.map((sequenceNumber) =>
        create(
          paths.event(alert.sessionId, executionId, sequenceNumber),
          timelineEventType,
          sampleEvent('llm_response', { executionId, sequenceNumber }),
        ),
      ),
    );
  const open = () => store.commit([create(paths.session('session-1'), sessionType, sampleSession())]);
  const end = async (status: Session['status']) => {
    const stored = await store.get(paths.session('session-1'), sessionType);
    if (stored === undefined) throw new Error('no session');
    await store.commit([replace(stored.path, sessionType, { ...stored.value, status }, stored.version)]);
  };
  return { store, reported, abort, following, add, open, end };
}

describe('followSession', () => {
  it('reports events in the order of their numbers, whatever the order they arrive in', async () => {
    const { reported, following, add, open, end } = follow();
    await open();
    await add('01-a', 1);
    await add('01-a', 4);
    await add('01-a', 3);
    await expect.poll(() => reported).toEqual(['01-a.1']);
    await add('01-a', 2);
    await expect.poll(() => reported).toEqual(['01-a.1', '01-a.2', '01-a.3', '01-a.4']);
    await end('completed');
    expect((await following).status).toBe('completed');
  });

  it('lets one execution not wait for another', async () => {
    const { reported, add, open } = follow();
    await open();
    await add('01-a', 2);
    await add('01-b', 1, 2);
    await expect.poll(() => reported).toEqual(['01-b.1', '01-b.2']);
  });

  it('reports everything before it ends, and nothing twice', async () => {
    const { reported, following, add, open, end } = follow();
    await open();
    await add('01-a', 1, 2);
    await end('failed');
    expect((await following).status).toBe('failed');
    expect(reported).toEqual(['01-a.1', '01-a.2']);
  });

  it('goes on while the session is being cancelled', async () => {
    const { reported, following, add, open, end } = follow();
    await open();
    await end('cancelling');
    await add('01-a', 1);
    await expect.poll(() => reported).toEqual(['01-a.1']);
    await end('cancelled');
    expect((await following).status).toBe('cancelled');
  });

  it('ends with a session that is deferred, after it reported why', async () => {
    const { reported, following, add, open, end } = follow();
    await open();
    await add('session', 1);
    await end('deferred');
    expect((await following).status).toBe('deferred');
    expect(reported).toEqual(['session.1']);
  });

  it('is not ended by another session whose id begins the same', async () => {
    const { store, following, open, end } = follow();
    const other = sampleSession({ sessionId: 'session-10', status: 'failed' });
    await store.commit([create(paths.session('session-10'), sessionType, other)]);
    await open();
    await end('completed');
    expect((await following).sessionId).toBe('session-1');
  });

  it('fails with the reason when the alert was refused', async () => {
    const { store, following } = follow();
    const hour = hourOf(new Date());
    const [sample] = sampleRejectedMessage().samples;
    if (sample === undefined) throw new Error('no sample');
    const add = (code: ErrorCode, messageId: string) => {
      const samples = [{ ...sample, messageId, reason: 'the alert is empty' }];
      const rejected = sampleRejectedMessage({ function: 'ingestAlert', hour, code, samples });
      const path = paths.rejectedMessage('ingestAlert', hour, code);
      return store.increment(path, rejectedMessageType, rejected, 'count');
    };
    await add('ALERT_INVALID', '41');
    await add('ALERT_EMPTY', '41');
    await add('ALERT_EMPTY', '42');
    const path = paths.rejectedMessage('ingestAlert', hour, 'ALERT_EMPTY');
    await expect(following).rejects.toThrow(
      `the alert was refused: ALERT_EMPTY: the alert is empty (${path})`,
    );
  });

  it('ends with the reason of its signal', async () => {
    const { abort, following } = follow();
    abort.abort(new Error('stopped by SIGINT'));
    await expect(following).rejects.toThrow('stopped by SIGINT');
  });
});
