// The pause of the whole installation and its parts that are away, for the notices on every page.

import { computed, signal } from '@preact/signals';
import { getJson } from '../api/client.ts';

/** A pause of the installation. */
interface SystemPause {
  by: string;
  /** ISO 8601. */
  until: string;
}

/** Parts of the installation that are away. */
export type SystemHealth = {
  servers: { name: string; agents: number }[];
  models: { code: string; since: string | null; agents: number }[];
  /** The work that waits for a late sweep, and when the last one started, ISO 8601; null if none did. */
  lateSweep: {
    since: string | null;
    agents: number;
    sessions: number;
    messages: number;
    checks: number;
  } | null;
  /** When the last test alert arrived, ISO 8601, if a later one is missing. Absent: an older server. */
  lateCanary?: string | null;
};

const READ_EVERY_MS = 60_000;

/** The current pause; null without one, and until it is known. */
export const systemPause = signal<SystemPause | null>(null);

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
    getJson<{ pause: SystemPause | null; health?: SystemHealth }>('/v1/system').then(
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
