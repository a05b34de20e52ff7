import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { create, put, replace, type Store } from '../../shared/contract/store.ts';
import { type ErrorCode, RetryableError } from '../../shared/errors.ts';
import {
  alertKeyType,
  paths,
  rejectedMessageType,
  sessionType,
  timelineEventType,
} from '../../shared/schema/documents.ts';
import { rawDocumentType, SchemaVersionError } from '../../shared/schema/documentType.ts';
import type { Session } from '../../shared/schema/session.ts';
import type { TimelineEvent } from '../../shared/schema/timelineEvent.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { hourOf } from '../../shared/text/utcPeriod.ts';
import {
  sampleAlertKey,
  sampleEvent,
  sampleRejectedMessage,
  sampleSession,
} from '../../test/support/samples.ts';
import { type FollowOptions, followSession, sessionOfAlert } from './follow.ts';

const sessionId = 'session-1';
const alert = { key: 'a'.repeat(64), messageId: '42' };

/** A follower of a session, and the events it reported. */
function follow() {
  const store = createMemoryStore();
  const reported: string[] = [];
  const abort = new AbortController();
  const following = followSession(
    store,
    sessionId,
    ({ executionId, sequenceNumber }) => reported.push(`${executionId}.${sequenceNumber}`),
    abort.signal,
  );
  // A test that does not await it must not fail by an unhandled rejection.
  following.catch(() => {});
  const add = (executionId: string, ...numbers: number[]) =>
    store.commit(
      numbers.map((sequenceNumber) =>
        create(
          paths.event(sessionId, executionId, sequenceNumber),
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

  it('ends with the reason of its signal', async () => {
    const { abort, following } = follow();
    abort.abort(new Error('stopped by SIGINT'));
    await expect(following).rejects.toThrow('stopped by SIGINT');
  });

  it('reports what is behind an event that cannot be read, which it names once', async () => {
    const { store, add, open, end } = follow();
    await open();
    await add('01-a', 1, 3);
    const path = paths.event(sessionId, '01-a', 2);
    await store.commit([put(path, rawDocumentType, { schemaVersion: 99 })]);
    const reported: number[] = [];
    const named: string[] = [];
    const onEvent = ({ sequenceNumber }: TimelineEvent) => void reported.push(sequenceNumber);
    const following = followSession(store, sessionId, onEvent, new AbortController().signal, {
      onUnreadable: (event) => named.push(`${event.code} ${event.path}`),
    });
    await end('completed');
    await following;
    expect(reported).toEqual([1, 3]);
    expect(named).toEqual([`SCHEMA_TOO_NEW ${path}`]);
  });

  describe('that loses its connection', () => {
    const unavailable = new RetryableError('STORE_UNAVAILABLE', 'no answer');

    /** A follower whose first watch of the timeline fails when it has reported an event. */
    async function losing(error: Error, onLost?: FollowOptions['onLost']) {
      const { store, add, open, end } = follow();
      await open();
      await add('01-a', 1);
      const reported: number[] = [];
      let isLost = false;
      const lose: { now?: () => void } = {};
      const watch: Store['watch'] = (query, type, onDocuments, onError) => {
        if (!isLost && query.collection === paths.timeline(sessionId)) lose.now = () => onError(error);
        return store.watch(query, type, onDocuments, onError);
      };
      const following = followSession(
        { ...store, watch },
        sessionId,
        ({ sequenceNumber }) => {
          reported.push(sequenceNumber);
          if (isLost) return;
          isLost = true;
          lose.now?.();
        },
        new AbortController().signal,
        onLost === undefined ? {} : { onLost },
      );
      following.catch(() => {});
      return { reported, following, add, end };
    }

    it('connects again, says so, and reports nothing twice', async () => {
      vi.useFakeTimers();
      onTestFinished(() => void vi.useRealTimers());
      const onLost = vi.fn();
      const { reported, following, add, end } = await losing(unavailable, onLost);
      await vi.waitFor(() => expect(onLost).toHaveBeenCalledWith(unavailable, 1_000));
      await add('01-a', 2);
      await end('completed');
      await vi.runAllTimersAsync();
      expect((await following).status).toBe('completed');
      expect(reported).toEqual([1, 2]);
      expect(onLost).toHaveBeenCalledTimes(1);
    });

    it('ends with what cannot pass', async () => {
      const newer = new SchemaVersionError('SCHEMA_TOO_NEW', 'newer than this code');
      const { following } = await losing(newer, () => {});
      await expect(following).rejects.toBe(newer);
    });
  });
});

describe('sessionOfAlert', () => {
  it('is the session that the key of the alert names, and no other', async () => {
    const store = createMemoryStore();
    const add = (key: string, id: string) =>
      store.commit([create(paths.alertKey(key), alertKeyType, sampleAlertKey({ sessionId: id }))]);
    await add(`${alert.key}0`, 'another');
    const waiting = sessionOfAlert(store, alert, new AbortController().signal);
    await add(alert.key, sessionId);
    expect(await waiting).toBe(sessionId);
  });

  it('fails with the reason when the alert was refused', async () => {
    const store = createMemoryStore();
    const waiting = sessionOfAlert(store, alert, new AbortController().signal);
    waiting.catch(() => {});
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
    await expect(waiting).rejects.toThrow(`the alert was refused: ALERT_EMPTY: the alert is empty (${path})`);
  });
});
