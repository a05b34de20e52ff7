// Deliveries: messages about a session at the destinations that its chain and its rule of triage name.

import { readSessionAlert } from '../../../alerts/schema/alert.ts';
import { notifyPart } from '../../../config/notified.ts';
import { NO_PARTS, withPart } from '../../../core/schema/parts.ts';
import type { IntakeFeature } from '../../../kits/alerts/intakeFeature.ts';

/** Stores the destinations of a new session, so that later changes of the configuration do not affect it. */
export const NOTIFY: IntakeFeature = {
  async addContext({ session, triage }, { notify }) {
    const { tenantId, chain } = session;
    const alert = readSessionAlert(session);
    const request = { tenantId, chain: chain.name, rule: triage.rule, severity: alert?.severity ?? null };
    const destinations = notify?.(request) ?? [];
    const part = destinations.length === 0 ? undefined : { notify: destinations };
    return { change: withPart(notifyPart, NO_PARTS, part), notice: null };
  },
};
