// The signed-in user, as the API identifies them. Viewers are not offered actions that the API would reject.

import { computed, signal } from '@preact/signals';
import type { AnswerOf } from '../../../shared/lists/apiTypes.ts';
import { api } from '../api/client.ts';

type Me = AnswerOf<'GET /v1/me'>;

/** Who looks; undefined until it is known. */
export const me = signal<Me | undefined>(undefined);

/** Whether the user can steer, ask, decide, rate. True until known: the API checks again. */
export const canAct = computed(() => me.value?.role !== 'viewer');

/** Whether the installation has turned a feature off; false until known, and for an older API. */
export const isOff = (feature: Me['off'][number]): boolean => me.value?.off?.includes(feature) ?? false;

/** Asks who looks. */
export function readMe(): void {
  api.get('/v1/me').then(
    (read) => {
      me.value = read;
    },
    () => undefined,
  );
}
