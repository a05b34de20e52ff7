// Publishes due requests of checks in the sweep, until a session is opened or they are given up.

import { replaceDocument } from '../../core/contract/store.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import type { FeatureReport, SweepFeature } from '../../core/kernel/feature/sweepFeature.ts';
import { findSessionId } from '../../kits/alerts/fates/alertKey.ts';
import { type Check, checkType } from './check.ts';
import { alertKeyOfCheck, publishCheck } from './checkRequest.ts';

/** Publications before a check is refused: more than Pub/Sub needs after an outage of half an hour. */
const MAX_ATTEMPTS = 20;

/** If no session was opened, the message is published again after this time. */
const RETRY_MS = 2 * 60_000;

/** Requests that one run publishes at most. */
const MAX_PUBLISHED = 200;

/** Publishes due requests. The report contains the errors of the store, and unreadable requests. */
export const CHECKS: SweepFeature = {
  async run(deps) {
    const report: FeatureReport = { started: 0, failures: [] };
    const query = { collectionId: 'checks', field: 'dueAt', to: deps.clock.now(), limit: MAX_PUBLISHED };
    await reportErrors('checks', report, deps, async () => {
      for await (const page of deps.store.findByTime(query)) {
        for (const path of page)
          await reportErrors(path, report, deps, async () => {
            if (await publishOne(path, deps)) report.started += 1;
          });
        return;
      }
    });
    return report;
  },
};

/** Does a part of the work, and adds its error to a report. */
export async function reportErrors(
  subject: string,
  report: FeatureReport,
  { log }: StateDeps,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const message = `${subject}: ${errorMessage(error)}`;
    report.failures.push({ sessionId: subject, code: error.code, message });
    log.error({ err: error }, `the sweep could not request a check: ${message}`);
  }
}

/** Publishes a due request; whether it did. */
async function publishOne(path: string, deps: StateDeps): Promise<boolean> {
  const { store, publisher, clock, log } = deps;
  const stored = await store.get(path, checkType);
  const now = clock.now();
  if (stored === undefined || stored.value.dueAt === null || stored.value.dueAt > now) return false;
  const { checkId, attempts } = stored.value;
  const sessionId = await findSessionId(alertKeyOfCheck(checkId), deps);
  const change = ((): Partial<Check> => {
    // Intake died before it noted the session.
    if (sessionId !== undefined) return { state: 'opened', sessionId, dueAt: null };
    if (attempts < MAX_ATTEMPTS) return { attempts: attempts + 1, dueAt: new Date(now.getTime() + RETRY_MS) };
    return { state: 'refused', reason: `no session was opened after ${attempts} messages`, dueAt: null };
  })();
  const write = replaceDocument(path, checkType, { ...stored.value, ...change }, stored.version);
  if (!(await store.commit([write])).ok) return false;
  if (change.state === 'refused') log.error({ checkId }, `a check was refused: ${change.reason}`);
  if (change.state !== undefined) return false;
  await publishCheck(publisher, checkId);
  return true;
}
