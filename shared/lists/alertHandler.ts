// The handler of the topic `alerts` with the features of intake.

import type { OwnNames } from '../alerts/selfAlert.ts';
import type { SessionConfig } from '../config/config.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { storeRejectedFate } from '../features/alertFates/feature.ts';
import { ingestAlert } from '../features/alerts/ingestAlert.ts';
import { type AlertFeatures, receiveAlert } from '../features/alerts/receiveAlert.ts';
import { CANARY_TAKER } from '../features/canary/takeCanary.ts';
import { checkTaker } from '../features/checks/handleCheck.ts';
import { REJECTED_GROUPS } from '../features/deliveries/outbox/rejectedGroups.ts';
import type { AlertTaker } from '../kits/alerts/alertTaker.ts';
import type { IntakeFeature } from '../kits/alerts/intakeFeature.ts';
import type { OnRejectedAlert } from '../kits/alerts/rejectedAlert.ts';
import { CHECK_FEATURES, INTAKE_FEATURES } from './intakeFeatures.ts';

/** Messages that are no alerts. */
const TAKERS: readonly AlertTaker[] = [CANARY_TAKER, checkTaker(CHECK_FEATURES, ingestAlert)];

/** The effects of rejected alerts. */
export const REJECTED_FEATURES: readonly OnRejectedAlert[] = [REJECTED_GROUPS];

const rejectAlert: AlertFeatures['rejected'] = async (message, original, failure, config, deps) => {
  const rejected = { config, features: REJECTED_FEATURES };
  for (const follow of await storeRejectedFate(message, original, failure, rejected, deps)) await follow();
};

/**
 * Handles one event of the topic `alerts`.
 * @param own the names of Inquest's own functions and topics; none when absent.
 * @param intake the features of intake; all of them by default.
 * @throws RetryableError when it must be delivered again.
 */
export const handleAlert = (
  event: unknown,
  config: SessionConfig,
  deps: AlertDeps,
  own?: OwnNames,
  intake: readonly IntakeFeature[] = INTAKE_FEATURES,
): Promise<void> => receiveAlert(event, config, deps, { intake, takers: TAKERS, rejected: rejectAlert }, own);
