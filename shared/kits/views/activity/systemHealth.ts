// Derives which parts of the installation are away now: models and tool servers from the agents that run, the
// sweep from its mark. Pure.

import * as z from 'zod';
import type { OpenExecution } from './openExecutions.ts';

/** Parts of the installation that are away, as far as the agents that run have noticed. Empty lists: none. */
export const systemHealthSchema = z.strictObject({
  servers: z
    .array(z.strictObject({ name: z.string(), agents: z.int() }))
    .describe('Tool servers that running agents cannot reach'),
  models: z
    .array(z.strictObject({ code: z.string(), since: z.string().nullable(), agents: z.int() }))
    .describe('Failures of models that running agents wait for'),
});
type SystemHealth = z.infer<typeof systemHealthSchema>;

/** Five times the interval of the sweep. */
const LATE_MS = 5 * 60_000;

/** Twice the interval of the sweep: its first run after a start of everything is over. */
const START_MS = 2 * 60_000;

/**
 * Whether the sweep is late at `now`. A pause stops it.
 * @param sweptAt when the last complete sweep started; undefined if there was none.
 * @param startedAt when the reader started. On one machine the sweep starts with it, and the mark is as old
 * as the last stop.
 */
export function isSweepLate(sweptAt: Date | undefined, startedAt: Date | undefined, now: Date): boolean {
  const age = (time: Date | undefined) => now.getTime() - (time?.getTime() ?? 0);
  return age(sweptAt) > LATE_MS && age(startedAt) > START_MS;
}

/** The health of models and tool servers, as agents noticed it. */
export function systemHealth(executions: readonly OpenExecution[]): SystemHealth {
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
  return {
    servers: servers.sort((a, b) => (a.name < b.name ? -1 : 1)),
    models: models.sort((a, b) => (a.code < b.code ? -1 : 1)),
  };
}
