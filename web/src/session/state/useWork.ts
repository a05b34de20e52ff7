// Work of people on a session: how it is read, once for all parts of the page, and how entries are added.

import { type Signal, useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { SessionView, WorkEntry, WorkView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { type Resource, reloadWhenVisible, useResource } from '../../api/useResource.ts';
import { useSession } from './sessionState.ts';
import { useControl } from './useControl.ts';

/** Reads the work for all parts of the page, and again after each change. */
export function useReadWork({ status }: SessionView): Resource<WorkView> {
  const { sessionId, timeline, work, workSeen, workChanges } = useSession();
  const read = useResource(
    (left) => api.get('/v1/sessions/{sessionId}/work', { sessionId }, left),
    [sessionId],
  );
  // A new event can be an entry of another person.
  const size = timeline.iterationsOf('work').value.length;
  const changes = workChanges.value;
  useEffect(() => {
    if (size + changes > 0) read.reload();
  }, [size, changes, status]);
  // After its end a session has no stream.
  useEffect(() => reloadWhenVisible(read), [read]);
  useEffect(() => {
    work.value = read;
  }, [read]);
  const known = read.value.value;
  useEffect(() => {
    workSeen.value = known?.entries.length;
  }, [known]);
  return read;
}

interface AddWork {
  /** @returns whether the entry is stored; after an error `outcome` is its message. */
  add(kind: WorkEntry['kind'], text?: string): Promise<boolean>;
  outcome: Signal<string>;
  isSending: Signal<boolean>;
}

/** How the parts of the page add entries. */
export function useAddWork(): AddWork {
  const { sessionId, workSeen, workChanges } = useSession();
  const { outcome, send } = useControl();
  const isSending = useSignal(false);
  return {
    outcome,
    isSending,
    async add(kind, text) {
      const seen = workSeen.peek() ?? 0;
      isSending.value = true;
      const error = await send(
        () => api.post('/v1/sessions/{sessionId}/work', { sessionId }, { kind, seen, ...(text && { text }) }),
        () => '',
      );
      isSending.value = false;
      if (error === undefined) workSeen.value = seen + 1;
      // A refused entry was made without newer ones of other people: they are shown before it is sent again.
      workChanges.value++;
      return error === undefined;
    },
  };
}
