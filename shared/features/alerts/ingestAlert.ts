// Turns an alert into a session, or attaches it to one: read -> enrich -> triage -> place -> route -> budget
// -> context -> plan -> commit. Each step takes the record of the step before and returns its own, or an
// outcome, which ends intake. Every batch contains the key of the alert, so that a redelivery opens no second
// session.

import type { OwnNames } from '../../alerts/selfAlert.ts';
import type { SessionConfig } from '../../config/config.ts';
import { TerminalError } from '../../core/errors.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { UNREADABLE } from '../../core/kernel/documents/reading.ts';
import { RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import { pauseFor } from '../../core/kernel/pause.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import { continueSession } from '../../core/session/continueSession.ts';
import type { TriagedAlert } from '../../kits/alerts/alert.ts';
import { findSessionId } from '../../kits/alerts/fates/alertKey.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { type AttemptOutcome, type IntakeOutcome, isOutcome } from '../../kits/alerts/intakeOutcome.ts';
import type { Problem } from '../../kits/alerts/problem.ts';
import { composeIntakeFeatures, type Intake } from './context/features.ts';
import { dropAlert } from './dropAlert.ts';
import { readMessage } from './message/readMessage.ts';
import { triageMessage } from './message/triageMessage.ts';
import { addContext } from './opening/addContext.ts';
import { admitSession } from './opening/admitSession.ts';
import { commitSession } from './opening/commitSession.ts';
import { decideDeferral } from './opening/decideDeferral.ts';
import { routeSession } from './opening/routeSession.ts';

/** Attempts at one incident within one delivery; with the waits for another delivery some ten seconds. */
const INCIDENT_RACES = 20;
/** Attempts to give a report an event: of many reports at once only some need one. */
const EVENT_RACES = 3;
/** How long a delivery waits until it checks again whether another delivery has opened the session. */
const OPENING_WAIT_MS = 500;

const NO_OWN_NAMES: OwnNames = {
  projectId: '',
  functions: [],
  topics: [],
  subscriptions: [],
  schedules: [],
  databases: [],
  services: [],
};

/**
 * Takes in one delivery of an alert. The attributes of the message name its tenant and user, its chain
 * (`chain`; without it the rules of the chains decide), and for a rerun the session whose alert it repeats.
 * @param features of intake, in the order in which their hooks run.
 * @param own names of Inquest's own functions and topics, none by default; `ownServices` of the configuration
 * are added.
 * @throws TerminalError when the alert is refused: `ALERT_*`, `CONFIG_UNKNOWN_CHAIN`, `MESSAGE_MALFORMED`,
 *   `DOCUMENT_*`; RetryableError when store or publisher fail, or other deliveries keep being faster
 *   (`STORE_CONFLICT`).
 */
export async function ingestAlert(
  message: PubsubMessage,
  config: SessionConfig,
  deps: AlertDeps,
  features: readonly IntakeFeature[],
  own: OwnNames = NO_OWN_NAMES,
): Promise<IntakeOutcome> {
  const read = await readMessage(message, deps);
  const names = { ...own, services: [...own.services, ...config.ownServices] };
  const intake = { config: { ...config, own: names }, features: composeIntakeFeatures(features), deps };
  const enriched = await intake.features.enrich(read, intake.config, deps);
  const triaged = triageMessage(enriched, config, deps.clock.now());
  return settleAlert(triaged, intake).catch(async (error: unknown) => {
    // An earlier delivery can have opened a session with an older, valid configuration.
    const earlier = error instanceof TerminalError ? await findSessionId(read.key, deps) : undefined;
    if (earlier === undefined) throw error;
    return continueSession(earlier, deps);
  });
}

/**
 * Places an alert until no other delivery is faster. If this code cannot read the incident, it leaves the
 * document unchanged and uses a second one instead; if it cannot read that one either, the session belongs to
 * no incident.
 */
async function settleAlert(alert: TriagedAlert, intake: Intake): Promise<IntakeOutcome> {
  const { incidentKey } = alert;
  const { place } = intake.features;
  const keys = incidentKey === null ? [] : [incidentKey, `${incidentKey}-2`];
  for (const key of keys) {
    if (place === undefined) break;
    const outcome = await settleReport(alert, key, place, intake);
    if (outcome !== UNREADABLE) return outcome;
  }
  return retryLostRaces(`alert ${alert.key}`, 1, () => openSession(alert, null, intake));
}

/** Attaches an alert to its incident's session, or opens one; `UNREADABLE` for an unreadable incident. */
async function settleReport(
  alert: TriagedAlert,
  incidentKey: string,
  place: NonNullable<IntakeFeature['place']>,
  intake: Intake,
): Promise<IntakeOutcome | typeof UNREADABLE> {
  const { config, deps } = intake;
  const reported = { ...alert, incidentKey };
  let attempts = 0;
  return retryLostRaces<IntakeOutcome | typeof UNREADABLE>(
    `incident ${incidentKey}`,
    INCIDENT_RACES,
    async ({ isLast }) => {
      const placed = await place(reported, config, deps);
      switch (placed.kind) {
        case 'unreadable':
          return UNREADABLE;
        case 'wait':
          await pauseFor(OPENING_WAIT_MS, new AbortController().signal, deps.clock);
          return RACE_LOST;
        case 'open':
          return openSession(alert, placed.problem, intake);
        case 'attach':
          return placed.attach({
            isEventful: ++attempts <= EVENT_RACES,
            isLast,
            decideDeferral: (session) => decideDeferral(session, {}, intake),
          });
      }
    },
  );
}

/** Opens a session for an alert, unless triage drops the alert or it joins another session. */
async function openSession(
  alert: TriagedAlert,
  problem: Problem | null,
  intake: Intake,
): Promise<AttemptOutcome> {
  const { config, features, deps } = intake;
  if (alert.triage.action === 'drop') return dropAlert(alert, deps);
  const placed = problem?.isAlone ? { ...alert, correlation: null } : alert;
  const joined = await features.join(placed, deps);
  if (joined !== undefined) return joined;
  const routed = await routeSession(placed, config, deps);
  const admitted = await admitSession(routed, problem, intake);
  if (isOutcome(admitted)) return admitted;
  const informed = await addContext(admitted, intake);
  return commitSession(informed, deps);
}
