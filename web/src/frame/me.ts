// The signed-in user, as the API identifies them. Viewers are not offered actions that the API would reject.

import { computed, signal } from '@preact/signals';
import { getJson } from '../api/client.ts';

/** Who asks. */
interface Me {
  name: string;
  role: string;
}

/** Who looks; undefined until it is known. */
export const me = signal<Me | undefined>(undefined);

/** Whether the user can steer, ask, decide and rate. True until the role is known: the API checks it again. */
export const canAct = computed(() => me.value?.role !== 'viewer');

/** Asks who looks. */
export function readMe(): void {
  getJson<Me>('/v1/me').then(
    (read) => {
      me.value = read;
    },
    () => undefined,
  );
}
