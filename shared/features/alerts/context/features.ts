// The features of intake, and its behaviour without them.

import type { AlertDeps } from '../../../core/kernel/deps.ts';
import type { SessionNotice } from '../../../core/kernel/session/sessionEvents.ts';
import type { Session } from '../../../core/schema/session.ts';
import type { AdmittedAlert, IntakeConfig, TriagedAlert } from '../../../kits/alerts/alert.ts';
import type { Deferral } from '../../../kits/alerts/deferredSession.ts';
import type { IntakeFeature } from '../../../kits/alerts/intakeFeature.ts';
import type { IntakeOutcome } from '../../../kits/alerts/intakeOutcome.ts';

interface IntakeFeatures {
  /** The alert with the labels of all features, in their order. */
  enrich: NonNullable<IntakeFeature['enrich']>;
  /** The hook of the feature that places reports; undefined without one. */
  place: IntakeFeature['place'];
  /** The outcome of the first feature to whose session the alert belongs; undefined without one. */
  join(alert: TriagedAlert, deps: AlertDeps): Promise<IntakeOutcome | undefined>;
  /** The deferral of the first feature that has one; undefined if the session can start. */
  defer(session: Session, config: IntakeConfig, deps: AlertDeps): Promise<Deferral | undefined>;
  /** The new session with what features add, and its first events, in the order of the features. */
  addContext(
    alert: AdmittedAlert,
    config: IntakeConfig,
    deps: AlertDeps,
  ): Promise<{ session: Session; notices: SessionNotice[] }>;
}

/** The configuration, features and dependencies of one delivery. */
export interface Intake {
  config: IntakeConfig;
  features: IntakeFeatures;
  deps: AlertDeps;
}

/** The hooks of features, in the order of the list. */
export function composeIntakeFeatures(features: readonly IntakeFeature[]): IntakeFeatures {
  return {
    place: features.find(({ place }) => place !== undefined)?.place,
    async enrich(alert, config, deps) {
      let enriched = alert;
      for (const feature of features) enriched = (await feature.enrich?.(enriched, config, deps)) ?? enriched;
      return enriched;
    },
    async join(alert, deps) {
      for (const feature of features) {
        const joined = await feature.join?.(alert, deps);
        if (joined !== undefined) return joined;
      }
      return undefined;
    },
    async defer(session, config, deps) {
      for (const feature of features) {
        const deferral = await feature.defer?.(session, config, deps);
        if (deferral !== undefined) return deferral;
      }
      return undefined;
    },
    async addContext(alert, config, deps) {
      let { session } = alert;
      const notices: SessionNotice[] = [];
      for (const feature of features) {
        const added = await feature.addContext?.({ ...alert, session }, config, deps);
        if (added === undefined) continue;
        session = { ...session, ...added.change, parts: { ...session.parts, ...added.change.parts } };
        if (added.notice !== null) notices.push(added.notice);
      }
      return { session, notices };
    },
  };
}
