// The body of `ingestAlert`: a message of the topic `alerts` becomes a session and its first iterations.

import { isInvestigated } from '../../alerts/fields/status.ts';
import type { OwnNames } from '../../alerts/selfAlert.ts';
import type { SessionConfig } from '../../config/config.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import { addLogContext } from '../../core/kernel/logContext.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import type { AlertTaker } from '../../kits/alerts/alertTaker.ts';
import type { IntakeFeature } from '../../kits/alerts/intakeFeature.ts';
import { deriveTraceparent } from '../../kits/alerts/sessionId.ts';
import { type OnRejected, receiveMessage } from '../../kits/messages/receiveMessage.ts';
import { ingestAlert } from './ingestAlert.ts';
import { ruleName } from './message/triageMessage.ts';

/** What features do with messages of the topic `alerts`. */
export interface AlertFeatures {
  /** The features of intake. */
  intake: readonly IntakeFeature[];
  /** Take messages that are no alerts: the first that takes one has handled it. */
  takers: readonly AlertTaker[];
  /** Called for a message that was rejected, before it is recorded. Absent: nothing else is stored. */
  rejected?:
    | ((...rejected: [...Parameters<OnRejected>, SessionConfig, AlertDeps]) => Promise<void>)
    | undefined;
}

/**
 * Handles one event of the topic `alerts`.
 * @param own the names of Inquest's own functions and topics; none when absent.
 * @throws RetryableError when it must be delivered again.
 */
export async function receiveAlert(
  event: unknown,
  config: SessionConfig,
  deps: AlertDeps,
  { intake, takers, rejected }: AlertFeatures,
  own?: OwnNames,
): Promise<void> {
  const handle = async (message: PubsubMessage) => {
    const { messageId } = message;
    addLogContext({ traceparent: deriveTraceparent(message) });
    for (const take of takers) if (await take(message, config, deps)) return;
    const ingested = await ingestAlert(message, config, deps, intake, own);
    const { level = 'info', text, ...fields } = intakeLine(ingested);
    deps.log[level]({ messageId, outcome: ingested.outcome, ...fields }, text);
  };
  await receiveMessage(
    'ingestAlert',
    event,
    deps,
    handle,
    (...refused) => rejected?.(...refused, config, deps) ?? Promise.resolve(),
  );
}

/** The line of the log about an outcome: its fields, its text, and its level. */
type IntakeLine = { text: string; level?: 'warn' } & Record<string, unknown>;

/** The start of the line about a deferred alert, by the reason. Default: a warning. */
const DEFERRED_AS: Partial<Record<string, string>> = {
  settling: 'alert accepted',
  triage: 'alert recorded',
  watchdog: 'alert recorded',
};

function intakeLine(ingested: Awaited<ReturnType<typeof ingestAlert>>): IntakeLine {
  switch (ingested.outcome) {
    case 'dropped': {
      const { rule, text, path } = ingested;
      return { rule, path, text: `alert dropped: ${ruleName(rule)}: ${text}` };
    }
    case 'attached':
      return { sessionId: ingested.sessionId, report: ingested.report, text: 'alert belongs to a session' };
    case 'deferred': {
      const { sessionId, alert, deferral } = ingested;
      const { reason, subject, text } = deferral;
      if (alert !== null && !isInvestigated(alert.status)) {
        const { source, title, identity } = alert;
        const code = reason === 'resolved' ? { code: 'ALERT_RESOLVED' } : {};
        return {
          ...code,
          sessionId,
          reason,
          source,
          title,
          identity,
          text: `nothing to investigate: ${text}`,
        };
      }
      const fields = { sessionId, reason, subject };
      const known = DEFERRED_AS[reason];
      return known === undefined
        ? { ...fields, level: 'warn', text: `alert deferred: ${text}` }
        : { ...fields, text: `${known}: ${text}` };
    }
    default:
      return { sessionId: ingested.sessionId, text: 'alert accepted' };
  }
}
