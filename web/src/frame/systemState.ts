// The pause of the whole installation and its parts that are away, for the notices on every page.

import { computed, signal } from '@preact/signals';
import type { AnswerOf } from '../../../shared/lists/apiTypes.ts';
import { api } from '../api/client.ts';

type System = AnswerOf<'GET /v1/system'>;
/** Parts of the installation that are away. */
export type SystemHealth = System['health'];

const READ_EVERY_MS = 60_000;

/** The current pause; null without one, and until it is known. */
export const systemPause = signal<System['pause']>(null);

/** The parts that are away; undefined until they are known. */
export const systemHealth = signal<SystemHealth | undefined>(undefined);

/** Whether a part is away. */
export const isPartAway = computed(() => {
  const { servers = [], models = [], lateSweep = null, lateCanary = null } = systemHealth.value ?? {};
  return servers.length + models.length > 0 || lateSweep !== null || lateCanary !== null;
});

/** Reads both now, and every minute while the page is visible. */
export function followSystem(): void {
  const read = (): void => {
    if (document.hidden) return;
    api.get('/v1/system').then(
      ({ pause, health }) => {
        systemPause.value = pause;
        systemHealth.value = health;
      },
      () => undefined,
    );
  };
  read();
  setInterval(read, READ_EVERY_MS);
  document.addEventListener('visibilitychange', read);
}
