// The handler of the topic `alerts` with the features of intake.

import type { OwnNames } from '../alerts/selfAlert.ts';
import type { SessionConfig } from '../config/config.ts';
import { ALL_ON, describeOff, type Off } from '../contract/switches.ts';
import type { AlertDeps } from '../core/kernel/deps.ts';
import { storeRejectedFate } from '../features/alertFates/feature.ts';
import { ingestAlert } from '../features/alerts/ingestAlert.ts';
import { type AlertFeatures, receiveAlert } from '../features/alerts/receiveAlert.ts';
import { askTaker } from '../features/ask/openAsk.ts';
import { CANARY_TAKER } from '../features/canary/takeCanary.ts';
import { checkTaker } from '../features/checks/handleCheck.ts';
import { REJECTED_GROUPS } from '../features/deliveries/outbox/rejectedGroups.ts';
import type { AlertTaker } from '../kits/alerts/alertTaker.ts';
import type { IntakeFeature } from '../kits/alerts/intakeFeature.ts';
import type { OnRejectedAlert, RejectedEffects } from '../kits/alerts/rejectedAlert.ts';
import { askFeatures, checkFeatures, intakeFeatures } from './intakeFeatures.ts';
import { present, unlessOff } from './present.ts';

/** A check that was published before schedules were turned off is no alert. */
const dropCheck: AlertTaker = async ({ attributes: { inquestCheck: checkId }, messageId }, _, { log }) => {
  if (checkId !== undefined)
    log.info({ messageId, checkId }, `a check is dropped: ${describeOff('schedules')}`);
  return checkId !== undefined;
};

/** Messages that are no alerts. */
const listTakers = (off: Off): readonly AlertTaker[] =>
  present([
    CANARY_TAKER,
    off.has('schedules') ? undefined : checkTaker?.(checkFeatures(off), ingestAlert),
    dropCheck,
    unlessOff(off, 'deliveries', askTaker(askFeatures(off), ingestAlert)),
  ]);

/** The effects of rejected alerts. */
export const rejectedFeatures = (off: Off): readonly OnRejectedAlert[] =>
  present([unlessOff(off, 'deliveries', REJECTED_GROUPS)]);

const followAll = async (all: readonly RejectedEffects['follow'][]): Promise<void> => {
  for (const follow of all) await follow();
};

const rejectAlert: AlertFeatures['rejected'] = async (message, original, failure, config, deps) =>
  followAll(
    await storeRejectedFate(
      message,
      original,
      failure,
      { config, features: rejectedFeatures(config.off ?? ALL_ON) },
      deps,
    ),
  );

/**
 * Handles one event of the topic `alerts`.
 * @param own the names of Inquest's own functions and topics; none when absent.
 * @param intake the features of intake; by default those that the configuration has not turned off.
 * @throws RetryableError when it must be delivered again.
 */
export const handleAlert = (
  event: unknown,
  config: SessionConfig,
  deps: AlertDeps,
  own?: OwnNames,
  intake: readonly IntakeFeature[] = intakeFeatures(config.off ?? ALL_ON),
): Promise<void> =>
  receiveAlert(
    event,
    config,
    deps,
    { intake, takers: listTakers(config.off ?? ALL_ON), rejected: rejectAlert },
    own,
  );
