// Step 2 of intake, triage: an alert's owner, its problem, and the rule that decides about it. Pure.

import { composeIncidentKey, toIncidentReport } from '../../../alerts/incident.ts';
import type { Alert } from '../../../alerts/schema/alert.ts';
import { correlationKeys } from '../../../alerts/sharedLabels.ts';
import { nameOfSource } from '../../../alerts/sources.ts';
import type { SessionConfig } from '../../../config/config.ts';
import { triageAlert } from '../../../config/triage.ts';
import type { MessageTriage, ReadAlert, TriagedAlert } from '../../../kits/alerts/alert.ts';
import type { Deferral } from '../../../kits/alerts/deferredSession.ts';
import { RERUN_ATTRIBUTE, readNamedSession, SPLIT_ATTRIBUTE } from '../../../kits/alerts/rerun.ts';
import { ownerOfAlert } from '../../../kits/tenants/alertContext.ts';
import { secondText } from '../../../text/times.ts';

/** A rerun or a split that a user requested is investigated, whatever the rules decide. */
const requested = (rule: 'rerun' | 'split'): MessageTriage => ({
  action: 'investigate',
  by: 'default',
  rule,
  text: 'a user asked for it',
  namesState: true,
  join: false,
  deferral: undefined,
});

/**
 * Decides about an alert.
 * @param now when it was received.
 * @throws TerminalError `MESSAGE_MALFORMED` for attributes that name no valid tenant, user or session.
 */
export function triageMessage(
  read: ReadAlert,
  { triage: config, places = {} }: Pick<SessionConfig, 'triage' | 'places'>,
  now: Date,
): TriagedAlert {
  const { alert, attributes, publishedAt, endedAt, masker } = read;
  const reportedAt = publishedAt ?? now;
  const rerunOf = readNamedSession(RERUN_ATTRIBUTE, attributes);
  const splitOf = readNamedSession(SPLIT_ATTRIBUTE, attributes);
  const asked = rerunOf !== null ? 'rerun' : splitOf !== null ? 'split' : null;
  const triage = asked === null ? decideTriage(read, config, { publishedAt, now }) : requested(asked);
  const owner = ownerOfAlert(attributes, masker);
  const { tenantId } = owner;
  const keys = correlationKeys(config?.correlate ?? [], { tenantId, labels: alert.labels });
  const chainName = attributes.chain ?? null;
  const incidentKey =
    rerunOf === null ? composeIncidentKey(alert, { tenantId, chain: chainName }) : undefined;
  return {
    ...read,
    reportedAt,
    rerunOf,
    splitOf,
    owner,
    triage,
    chainName,
    proof: describeArrival(alert, { publishedAt, now }),
    correlation: keys.length === 0 || splitOf !== null ? null : { keys, at: reportedAt },
    report: toIncidentReport(alert, { endedAt, publishedAt, now }),
    incidentKey: incidentKey ?? null,
    places: read.isSent ? places : null,
  };
}

interface MessageTimes {
  /** According to Pub/Sub; null if unknown. */
  publishedAt: Date | null;
  /** When it was received. */
  now: Date;
}

function decideTriage(
  { alert, body, masker }: ReadAlert,
  config: SessionConfig['triage'],
  times: MessageTimes,
): MessageTriage {
  const { action, by, rule, text, namesState, join } = triageAlert(
    config,
    alert,
    body,
    times.publishedAt ?? times.now,
  );
  // The text quotes rules, which can contain a secret.
  const masked = { action, by, rule, text: masker.mask(text).text, namesState, join };
  return { ...masked, deferral: planDeferral(masked, alert, times) };
}

function planDeferral(
  { action, by, rule, text }: Omit<MessageTriage, 'deferral'>,
  alert: Alert,
  times: MessageTimes,
): Deferral | undefined {
  if (by === 'watchdog') {
    const why = `It is a watchdog, which always fires. ${describeArrival(alert, times)} It is no sign of trouble; its silence would be.`;
    return { reason: 'watchdog', subject: alert.source, text: why };
  }
  if (action !== 'record') return undefined;
  const recorded = `${ruleName(rule)} records it and has nothing investigated: ${text}.`;
  const why = alert.status === 'test' ? `${recorded} ${describeArrival(alert, times)}` : recorded;
  return { reason: 'triage', subject: rule, text: why };
}

/** A rule as the start of a sentence. */
export function ruleName(rule: string): string {
  return rule === 'default' ? 'The default of triage.yaml' : `Rule ${rule} of triage.yaml`;
}

/** The fact that the arrival of a message proves. */
function describeArrival({ source }: Pick<Alert, 'source'>, { publishedAt, now }: MessageTimes): string {
  const published = publishedAt === null ? '' : `, published ${secondText(publishedAt)}`;
  return `The way from ${nameOfSource(source)} to Inquest works: received ${secondText(now)}${published}, read by the adapter ${source}.`;
}
