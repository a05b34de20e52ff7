// Derives which parts of the installation are away now: models and tool servers from the agents that run, the sweep from
// its mark. Pure.

import type { OpenExecution } from './openExecutions.ts';

/** Parts of the installation that are away, as far as the agents that run have noticed. Empty lists: none. */
export interface SystemHealth {
  /** Tool servers that agents cannot reach, by name. */
  servers: { name: string; agents: number }[];
  /** Failures of models that agents wait for, by code. */
  models: { code: string; since: string | null; agents: number }[];
  /** When the last complete sweep started; null if that is not known, or not long ago, and while no agent runs. */
  lateSweep: Date | null;
}

/** Five times the interval of the sweep. */
const LATE_MS = 5 * 60_000;

/**
 * The health of the installation at `now`.
 * @param sweptAt when the last complete sweep started; undefined if it is not known. A pause stops the sweep.
 */
export function systemHealth(
  executions: readonly OpenExecution[],
  sweptAt: Date | undefined,
  now: Date,
): SystemHealth {
  const missing = executions.flatMap(({ missingServers }) => missingServers);
  const servers = [...Map.groupBy(missing, (name) => name)].map(([name, all]) => ({
    name,
    agents: all.length,
  }));
  const waiting = executions.filter(({ outageCode }) => outageCode !== null);
  const models = [...Map.groupBy(waiting, ({ outageCode }) => outageCode ?? '')].map(([code, all]) => ({
    code,
    since: all.map(({ outageSince }) => outageSince ?? '').sort()[0] || null,
    agents: all.length,
  }));
  // Without an agent nothing waits for it.
  const isLate =
    executions.length > 0 && sweptAt !== undefined && now.getTime() - sweptAt.getTime() > LATE_MS;
  return {
    servers: servers.sort((a, b) => (a.name < b.name ? -1 : 1)),
    models: models.sort((a, b) => (a.code < b.code ? -1 : 1)),
    lateSweep: isLate ? sweptAt : null,
  };
}
