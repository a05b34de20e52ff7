// The reason why a published alert has no session: a triage rule dropped it, or intake refused its message.

import type { Store } from '../../core/contract/store.ts';
import { utcDay, utcHour } from '../../text/utcPeriod.ts';
import { droppedAlertsType } from '../alerts/droppedAlerts.ts';
import { rejectedMessageType } from '../messages/rejectedMessage.ts';
import { listReadable } from './readable.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** An alert that was taken and has no session. */
interface LostAlert {
  outcome: 'dropped' | 'refused';
  /** For people, with the document's path: `dropped by RULE of triage.yaml: TEXT (PATH)`. */
  reason: string;
  at: Date;
}

/**
 * Finds the records of intake about a message of the last day. Reads the records of all tenants. Only the
 * first messages of each record are named, so the result can be undefined for a lost alert.
 * @throws RetryableError when the store fails.
 */
export async function findLostAlert(
  messageId: string,
  { store, now }: { store: Pick<Store, 'list'>; now: Date },
): Promise<LostAlert | undefined> {
  // Clocks of the processes differ, so both ranges end later than now.
  const day = (days: number) => utcDay(new Date(now.getTime() + days * DAY_MS));
  const hour = (hours: number) => `ingestAlert.${utcHour(new Date(now.getTime() + hours * HOUR_MS))}`;
  const [dropped, rejected] = await Promise.all([
    listReadable(
      { collection: droppedAlertsType.paths.droppedAlerts, idRange: { from: day(-1), to: day(2) } },
      droppedAlertsType,
      store,
    ),
    listReadable(
      { collection: rejectedMessageType.paths.rejectedMessages, idRange: { from: hour(-24), to: hour(2) } },
      rejectedMessageType,
      store,
    ),
  ]);
  for (const { day, rule, tenantId, text, last, examples } of dropped.values) {
    const found = [last, ...examples].find((one) => one.messageId === messageId);
    const path =
      tenantId === null
        ? droppedAlertsType.paths.droppedAlerts
        : droppedAlertsType.paths.droppedAlertsOf(day, rule, tenantId);
    const reason = `dropped by ${rule} of triage.yaml: ${text} (${path})`;
    if (found !== undefined) return { outcome: 'dropped', reason, at: found.at };
  }
  for (const { hour, code, samples } of rejected.values) {
    const found = samples.find((one) => one.messageId === messageId);
    if (found === undefined) continue;
    const path = rejectedMessageType.paths.rejectedMessage('ingestAlert', hour, code);
    return { outcome: 'refused', reason: `refused: ${code}: ${found.reason} (${path})`, at: found.at };
  }
  return undefined;
}
