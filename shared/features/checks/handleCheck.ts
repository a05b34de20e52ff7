// A message that names a check: opens its session on the way of every alert, without triage, incidents and
// correlation, which decide about problems that others report.

import type { SessionConfig } from '../../config/config.ts';
import { replaceDocument, type Stored } from '../../core/contract/store.ts';
import { TerminalError } from '../../core/errors.ts';
import type { AlertDeps, StateDeps } from '../../core/kernel/deps.ts';
import { DOCUMENT_RACES, RACE_LOST, retryLostRaces } from '../../core/kernel/documents/retryConflict.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import type { AlertTaker } from '../../kits/alerts/alertTaker.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { type Check, checkType } from './check.ts';
import { takeCheck } from './openCheck.ts';

/** Opens a session for a message of the topic of alerts. */
type Ingest = (
  message: PubsubMessage,
  config: SessionConfig,
  deps: AlertDeps,
  features: readonly IntakeFeature[],
) => Promise<{ outcome: string; sessionId?: string | undefined }>;

/** Takes the messages that name a check. */
export const checkTaker =
  (intake: readonly IntakeFeature[], ingest: Ingest): AlertTaker =>
  (message, config, deps) =>
    handleCheck(message, config, deps, { intake, ingest });

/**
 * Opens the session of a check.
 * @returns false for a message that names none.
 * @throws TerminalError when the check is refused, which its request notes; RetryableError when it must be
 * delivered again.
 */
async function handleCheck(
  message: PubsubMessage,
  { triage: _, ...config }: SessionConfig,
  deps: AlertDeps,
  { intake, ingest }: { intake: readonly IntakeFeature[]; ingest: Ingest },
): Promise<boolean> {
  const checkId = message.attributes.inquestCheck;
  if (checkId === undefined) return false;
  try {
    const taken = await takeCheck(message, config, deps);
    if (taken === null || taken === undefined) {
      deps.log.info({ messageId: message.messageId }, 'nothing to do for the message of a check');
      return true;
    }
    const { check, opening } = taken;
    const features = [...intake, opening.feature];
    // A check can be about Inquest itself.
    const outcome = await ingest(opening.message, { ...config, ownServices: [] }, deps, features);
    const { sessionId } = outcome;
    if (sessionId === undefined) throw new TypeError('no rule drops a check');
    await settleCheck(checkId, { sessionId }, deps);
    deps.log.info({ sessionId, checkId, schedule: check.schedule, slot: check.slot }, 'check opened');
  } catch (error) {
    if (error instanceof TerminalError) await settleCheck(checkId, { reason: error.message }, deps);
    throw error;
  }
  return true;
}

/**
 * Notes that a check has a session, or why it has none.
 * @throws RetryableError when the store fails.
 */
async function settleCheck(
  checkId: string,
  outcome: { sessionId: string } | { reason: string },
  { store }: Pick<StateDeps, 'store'>,
): Promise<void> {
  const path = checkType.paths.check(checkId);
  await retryLostRaces<undefined>(`check ${checkId}`, DOCUMENT_RACES, async () => {
    const stored: Stored<Check> | undefined = await store.get(path, checkType);
    if (stored === undefined || stored.value.state !== 'waiting') return undefined;
    const change =
      'sessionId' in outcome
        ? { state: 'opened' as const, sessionId: outcome.sessionId }
        : { state: 'refused' as const, reason: outcome.reason };
    const settled = { ...stored.value, ...change, dueAt: null };
    const { ok } = await store.commit([replaceDocument(path, checkType, settled, stored.version)]);
    return ok ? undefined : RACE_LOST;
  });
}
