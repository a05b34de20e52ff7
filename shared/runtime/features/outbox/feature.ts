// Deliveries: messages about a session at the destinations that its chain and its rule of triage name.

import type { IntakeFeature } from '../../kernel/feature/intakeFeature.ts';

/** Stores the destinations of a new session, so that later changes of the configuration do not affect it. */
export const NOTIFY: IntakeFeature = {
  async addContext({ session, triage }, { notify }) {
    const { tenantId, chain, alert } = session;
    const request = { tenantId, chain: chain.name, rule: triage.rule, severity: alert?.severity ?? null };
    return { change: { notify: notify?.(request) ?? [] }, notice: null };
  },
};
