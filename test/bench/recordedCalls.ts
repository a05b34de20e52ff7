// What iterations ask of Firestore and Pub/Sub, and the same calls made plainly, one after the other, with
// Google's own clients: the floor, below which no iteration with these documents can be.

import { Firestore, Timestamp } from '@google-cloud/firestore';
import { PubSub } from '@google-cloud/pubsub';
import type { Publisher } from '../../shared/core/contract/publisher.ts';
import type { Store, Write } from '../../shared/core/contract/store.ts';
import { emulatorSettings } from '../../shared/store/emulator.ts';
import { messageBytes } from '../../shared/store/messageBytes.ts';
import { storableDocument } from '../../shared/store/storable.ts';

/** A write, encoded. */
interface PlainWrite {
  op: Write['op'];
  path: string;
  data: Record<string, unknown>;
}
/** Calls whose writes are encoded: nothing is left to do for them but to make them. */
export type PlainCall = Exclude<RecordedCall, { kind: 'commit' }> | { kind: 'commit'; writes: PlainWrite[] };
/** A call, with all that is needed to make it again. */
export type RecordedCall =
  | { kind: 'get'; path: string }
  /** A collection, or collections by their id, and how many documents came. */
  | { kind: 'list'; collection: string; documents: number }
  | { kind: 'increment'; path: string }
  | { kind: 'commit'; writes: Write[] }
  | { kind: 'publish'; topic: string; data: Buffer; attributes: Record<string, string> };

/** What was asked between two takes. */
export interface Recorder {
  store: Store;
  publisher: Publisher;
  /** The calls since the last take, in the order in which they began. */
  take(): RecordedCall[];
}

/** A store and a publisher that record what is asked of those behind them. */
export function recordCalls({ store, publisher }: { store: Store; publisher: Publisher }): Recorder {
  let calls: RecordedCall[] = [];
  const count = async <T>(collection: string, found: Promise<T[]>): Promise<T[]> => {
    const call = { kind: 'list' as const, collection, documents: 0 };
    calls.push(call);
    const documents = await found;
    call.documents = documents.length;
    return documents;
  };
  return {
    take() {
      const taken = calls;
      calls = [];
      return taken;
    },
    store: {
      ...store,
      get(path, type) {
        calls.push({ kind: 'get', path });
        return store.get(path, type);
      },
      list: (query, type) => count(query.collection, store.list(query, type)),
      listIds: (query) => count(query.collection, store.listIds(query)),
      find: (query, type) => count(query.collection, store.find(query, type)),
      findNearest: (query, type) => count(query.collection, store.findNearest(query, type)),
      async *findByTime(query) {
        const call = { kind: 'list' as const, collection: query.collectionId, documents: 0 };
        calls.push(call);
        for await (const page of store.findByTime(query)) {
          call.documents += page.length;
          yield page;
        }
      },
      increment(path, type, value, field) {
        calls.push({ kind: 'increment', path });
        return store.increment(path, type, value, field);
      },
      incrementAll(path, type, value, fields) {
        calls.push({ kind: 'increment', path });
        return store.incrementAll(path, type, value, fields);
      },
      commit(writes) {
        calls.push({ kind: 'commit', writes });
        return store.commit(writes);
      },
    },
    publisher: {
      ...publisher,
      publish(topic, data, attributes) {
        calls.push({ kind: 'publish', topic, data: messageBytes(data), attributes });
        return publisher.publish(topic, data, attributes);
      },
    },
  };
}

/** Encodes the writes, which takes time that is not to be measured. */
export function encodeCalls(calls: RecordedCall[]): PlainCall[] {
  return calls.map((call) =>
    call.kind === 'commit' ? { kind: call.kind, writes: call.writes.map(plainWrite) } : call,
  );
}

function plainWrite({ op, path, type, value }: Write): PlainWrite {
  return { op, path, data: storableDocument(type.encode(value as never, path), path) };
}

/** Repeats recorded calls in another session. */
export interface PlainCalls {
  /** Makes the calls in turn. A commit replaces as before, under its own precondition. */
  repeat(calls: PlainCall[]): Promise<void>;
  close(): Promise<void>;
}

/** @param rename the session's id in the recorded paths, and the one to use in its place. */
export function plainCalls(projectId: string, rename: { from: string; to: string }): PlainCalls {
  const db = new Firestore({ projectId, ...emulatorSettings('firestore') });
  const pubsub = new PubSub({ projectId, ...emulatorSettings('pubsub') });
  const topics = new Map<string, ReturnType<PubSub['topic']>>();
  const updatedAt = new Map<string, Timestamp>();
  const reference = (path: string) => db.doc(path.replace(rename.from, rename.to));

  const commit = async (writes: PlainWrite[]) => {
    const batch = db.batch();
    for (const { op, path, data } of writes) {
      if (op === 'create') batch.create(reference(path), data);
      else if (op === 'add') batch.set(reference(path), data, { merge: true });
      else batch.update(reference(path), data, { lastUpdateTime: updatedAt.get(path) ?? Timestamp.now() });
    }
    const results = await batch.commit();
    for (const [index, { writeTime }] of results.entries()) {
      updatedAt.set(writes[index]?.path ?? '', writeTime);
    }
  };

  return {
    async repeat(calls) {
      for (const call of calls) {
        if (call.kind === 'get') await reference(call.path).get();
        else if (call.kind === 'commit') await commit(call.writes);
        else if (call.kind === 'publish') {
          const topic =
            topics.get(call.topic) ??
            pubsub.topic(call.topic, { batching: { maxMessages: 1, maxMilliseconds: 0 } });
          topics.set(call.topic, topic);
          await topic.publishMessage({ data: call.data, attributes: call.attributes });
        }
      }
    },
    async close() {
      await Promise.all([db.terminate(), pubsub.close()]);
    },
  };
}
