// Who looks, as the API knows them. A viewer is not offered what the API would refuse.

import { computed, signal } from '@preact/signals';
import { getJson } from '../api/client.ts';

/** Who asks. */
interface Me {
  name: string;
  role: string;
}

/** Who looks; undefined until it is known. */
export const me = signal<Me | undefined>(undefined);

/** Whether they may steer, ask, decide and rate. Until it is known it is offered: the API refuses by itself. */
export const mayAct = computed(() => me.value?.role !== 'viewer');

/** Asks who looks. */
export function readMe(): void {
  getJson<Me>('/v1/me').then(
    (read) => {
      me.value = read;
    },
    () => undefined,
  );
}
