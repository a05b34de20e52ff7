// Gives a new session the objects that had the controllers of its alert's place, as control planes stated
// them to earlier sessions: siblings that code can ask for contrast. Texts of workloads name none.

import { locateAlert } from '../../alerts/resource.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import { NO_PARTS, withPart } from '../../core/schema/parts.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { readTopology } from '../../kits/topology/readTopology.ts';
import { MAX_EDGES, ownersPart, type Topology } from '../../kits/topology/topology.ts';
import { shortName } from './names.ts';

/** Adds the objects with their controllers. If they cannot be read, the session starts without them. */
export const NEAR_OWNERS: IntakeFeature = {
  async addContext({ alert, session: { chain, tenantId } }, _, { store, clock, log }) {
    const nothing = { change: {}, notice: null };
    const { resource } = locateAlert(alert);
    if (resource === null || chain.claims === undefined || chain.contrast === 'off') return nothing;
    try {
      const place = shortName(resource);
      const { sessions } = await readTopology({ tenantId, names: [place] }, store, clock.now());
      const owned = listOwned(sessions, place);
      return owned.length === 0
        ? nothing
        : { change: withPart(ownersPart, NO_PARTS, { owned }), notice: null };
    } catch (error) {
      if (!(error instanceof InquestError)) throw error;
      log.warn({ err: error }, `learned controllers could not be read: ${errorMessage(error)}`);
      return nothing;
    }
  },
};

/** The objects of a place with their controllers, each once, the newest first. */
function listOwned(sessions: readonly Topology[], place: string): { object: string; owner: string }[] {
  const owned = new Map<string, string>();
  for (const { from, to, how, by } of sessions.flatMap(({ edges }) => edges))
    if (how === 'owned' && by === 'stated' && shortName(from) === place && !owned.has(from))
      owned.set(from, to);
  return [...owned].slice(0, MAX_EDGES).map(([object, owner]) => ({ object, owner }));
}
