// Ends of watches that no conformance test reaches, because the client connects and calls back when it likes.

import { FieldPath, FieldValue, Timestamp } from '@google-cloud/firestore';
import { expect, it, vi } from 'vitest';
import * as z from 'zod';
import { documentType } from '../../core/schema/documentType.ts';
import type { Client, Connection } from './connection.ts';
import { createWatches } from './watches.ts';

const noteType = documentType('note', 1, z.strictObject({ text: z.string() }));

/** A connection that the test opens, and the listeners of its client. */
function openLater() {
  type Listener = { deliver(snapshot: object): void; fail(error: unknown): void; isActive: boolean };
  const listeners: Listener[] = [];
  const query = {
    where: () => query,
    onSnapshot(deliver: Listener['deliver'], fail: Listener['fail']) {
      const listener = { deliver, fail, isActive: true };
      listeners.push(listener);
      return () => {
        listener.isActive = false;
      };
    },
  };
  const { promise, resolve, reject } = Promise.withResolvers<Client>();
  const client = { sdk: { FieldPath, FieldValue }, db: { collection: () => query } } as unknown as Client;
  const keepOpen = vi.fn();
  const watches = createWatches({ client: () => promise, keepOpen } as Partial<Connection> as Connection);
  const calls: unknown[] = [];
  const watch = (onDocuments: () => void = () => calls.push('documents')) =>
    watches.start({ collection: 'notes' }, noteType, {
      onDocuments,
      onError: (error) => calls.push(error),
      onDeleted: (ids) => calls.push(ids),
    });
  return { listeners, keepOpen, watches, watch, calls, reject, connect: () => resolve(client) };
}

/** Runs what waits for promises that are resolved. */
const settle = () => new Promise((resolve) => setImmediate(resolve));
const change = (type: string, id: string) => ({
  type,
  newIndex: 0,
  doc: {
    id,
    ref: { path: `notes/${id}` },
    updateTime: Timestamp.fromMillis(0),
    data: () => ({ text: id, schemaVersion: 1 }),
  },
});

it('a watch that is stopped before the client connects does not listen', async () => {
  const { listeners, watch, watches, connect } = openLater();
  watch()();
  watch();
  watches.stopAll();
  const stopLast = watch();
  connect();
  await settle();
  expect(listeners).toHaveLength(1);
  stopLast();
  expect(listeners[0]?.isActive).toBe(false);
});

it('a watch that is stopped before the connection fails reports nothing', async () => {
  const { watch, calls, reject } = openLater();
  watch()();
  watch();
  reject(new Error('no route'));
  await settle();
  expect(calls).toEqual([expect.objectContaining({ code: 'STORE_UNAVAILABLE' })]);
});

it('a watch that has ended reports neither documents nor errors', async () => {
  const { listeners, watch, calls, connect } = openLater();
  const stop = watch();
  connect();
  await settle();
  stop();
  listeners[0]?.deliver({ docChanges: () => [change('added', 'a'), change('removed', 'b')] });
  listeners[0]?.fail(new Error('late'));
  expect(calls).toEqual([]);
});

it('a watch that its own reader stops reports no deletions of the same snapshot', async () => {
  const { listeners, watch, calls, connect } = openLater();
  const stop = watch(() => stop());
  watch();
  connect();
  await settle();
  const snapshot = { docChanges: () => [change('added', 'a'), change('removed', 'b')] };
  expect(listeners).toHaveLength(1);
  listeners[0]?.deliver(snapshot);
  expect(calls).toEqual(['documents', ['b']]);
});

it('a watch that is stopped before its first snapshot keeps the client open', async () => {
  const { listeners, watch, keepOpen, connect } = openLater();
  connect();
  const stopFirst = watch();
  await settle();
  listeners[0]?.deliver({ docs: [], docChanges: () => [] });
  stopFirst();
  expect(keepOpen).not.toHaveBeenCalled();
  const stopSecond = watch();
  await settle();
  stopSecond();
  expect(keepOpen).toHaveBeenCalledOnce();
});
