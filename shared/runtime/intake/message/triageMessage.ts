// Step 2 of intake, triage: who owns an alert, which problem it reports, and which rule decides about it. Pure.

import { nameOfSource } from '../../../alerts/adapters.ts';
import { type AlertReport, incidentKeyOf, reportOf } from '../../../alerts/incident.ts';
import type { SessionConfig } from '../../../config/config.ts';
import { type TriageDecision, triageAlert } from '../../../config/triage.ts';
import type { CorrelationKeys } from '../../../schema/correlation.ts';
import type { Alert } from '../../../schema/session.ts';
import type { Deferral } from '../../kernel/session/decideDeferral.ts';
import { correlationKeys } from '../../kernel/session/related.ts';
import { readRerunOf } from '../../session/rerun.ts';
import { ownerOfAlert } from '../../tenants/alertContext.ts';
import type { ReadAlert } from './readMessage.ts';

/** An alert with the decision of triage, the same for each delivery of its message. */
export interface TriagedAlert extends ReadAlert {
  /** When its message was published; when it was received, if that is unknown. */
  reportedAt: Date;
  /** The session whose alert it repeats at a user's request; null for any other alert. */
  rerunOf: string | null;
  owner: { tenantId: string; userId: string | null };
  triage: MessageTriage;
  /** The fact that the arrival of the alert proves, in one sentence. */
  proof: string;
  /** The keys of the labels that it shares with other alerts; null without such labels. */
  correlation: CorrelationKeys | null;
  /** The chain that its message names; null without one. */
  chainName: string | null;
  report: AlertReport;
  /** The key of its problem; null for an alert without an identity, a test and a rerun: these have sessions of their own. */
  incidentKey: string | null;
}

/** The decision of the rules about an alert. */
interface MessageTriage
  extends Pick<TriageDecision, 'action' | 'by' | 'rule' | 'text' | 'namesState' | 'join'> {
  /** Why its session does not start; undefined if triage lets it start. */
  deferral: Deferral | undefined;
}

/** A rerun that a user requested is investigated, whatever the rules decide. */
const RERUN: MessageTriage = {
  action: 'investigate',
  by: 'default',
  rule: 'rerun',
  text: 'a user asked for it',
  namesState: true,
  join: false,
  deferral: undefined,
};

/**
 * Decides about an alert.
 * @param now when it was received.
 * @throws TerminalError `MESSAGE_MALFORMED` for attributes that name no valid tenant, user or session.
 */
export function triageMessage(
  read: ReadAlert,
  { triage: config }: Pick<SessionConfig, 'triage'>,
  now: Date,
): TriagedAlert {
  const { alert, attributes, publishedAt, endedAt, masker } = read;
  const reportedAt = publishedAt ?? now;
  const rerunOf = readRerunOf(attributes);
  const triage = rerunOf === null ? decisionOf(read, config, { publishedAt, now }) : RERUN;
  const owner = ownerOfAlert(attributes, masker);
  const { tenantId } = owner;
  const keys = correlationKeys(config?.correlate ?? [], { tenantId, labels: alert.labels });
  const chainName = attributes.chain ?? null;
  const incidentKey = rerunOf === null ? incidentKeyOf(alert, { tenantId, chain: chainName }) : undefined;
  return {
    ...read,
    ...{ reportedAt, rerunOf, owner, triage, chainName },
    proof: proofOf(alert, { publishedAt, now }),
    correlation: keys.length === 0 ? null : { keys, at: reportedAt },
    report: reportOf(alert, { endedAt, publishedAt, now }),
    incidentKey: incidentKey ?? null,
  };
}

/** When a message came. */
interface MessageTimes {
  /** According to Pub/Sub; null if unknown. */
  publishedAt: Date | null;
  now: Date;
}

function decisionOf(
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
  return { ...masked, deferral: deferralOf(masked, alert, times) };
}

function deferralOf(
  { action, by, rule, text }: Omit<MessageTriage, 'deferral'>,
  alert: Alert,
  times: MessageTimes,
): Deferral | undefined {
  if (by === 'watchdog') {
    const why = `It is a watchdog, which always fires. ${proofOf(alert, times)} It is no sign of trouble; its silence would be.`;
    return { reason: 'watchdog', subject: alert.source, text: why };
  }
  if (action !== 'record') return undefined;
  const recorded = `${ruleName(rule)} records it and has nothing investigated: ${text}.`;
  const why = alert.status === 'test' ? `${recorded} ${proofOf(alert, times)}` : recorded;
  return { reason: 'triage', subject: rule, text: why };
}

/** A rule as the start of a sentence. */
export function ruleName(rule: string): string {
  return rule === 'default' ? 'The default of triage.yaml' : `Rule ${rule} of triage.yaml`;
}

/** The fact that the arrival of a message proves. */
function proofOf({ source }: Pick<Alert, 'source'>, { publishedAt, now }: MessageTimes): string {
  const published = publishedAt === null ? '' : `, published ${timeText(publishedAt)}`;
  return `The way from ${nameOfSource(source)} to Inquest works: received ${timeText(now)}${published}, read by the adapter ${source}.`;
}

/** `2026-11-22 09:12:30 UTC`. */
function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
