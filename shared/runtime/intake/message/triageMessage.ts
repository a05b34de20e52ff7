// What triage makes of a message: which rule decides, and why a session is deferred by it. Pure.

import { nameOfSource } from '../../../alerts/sourceNames.ts';
import { type TriageDecision, triageAlert } from '../../../config/triage.ts';
import type { TriageConfig } from '../../../config/triageFile.ts';
import type { Masker } from '../../../masking/masker.ts';
import type { Alert } from '../../../schema/session.ts';
import type { Deferral } from '../../kernel/session/decideDeferral.ts';

/** An alert that was read, without its secrets. */
interface ReadMessage {
  alert: Alert;
  body: string;
  masker: Pick<Masker, 'mask'>;
}

/** When a message came. */
interface MessageTimes {
  /** By Pub/Sub; null when it does not say. */
  publishedAt: Date | null;
  now: Date;
}

/** What becomes of a message. */
export interface MessageTriage
  extends Pick<TriageDecision, 'action' | 'by' | 'rule' | 'text' | 'namesState' | 'join'> {
  /** Why its session is not begun; undefined when triage lets it begin. */
  deferral: Deferral | undefined;
}

/** What a user asks for is investigated, whatever rules say. */
const RERUN: MessageTriage = {
  action: 'investigate',
  by: 'default',
  rule: 'rerun',
  text: 'a user asked for it',
  namesState: true,
  join: false,
  deferral: undefined,
};

/** What becomes of a message, the same at each of its deliveries. */
export function triageMessage(
  config: TriageConfig | undefined,
  { alert, body, masker }: ReadMessage,
  times: MessageTimes,
  rerunOf: string | null,
): MessageTriage {
  if (rerunOf !== null) return RERUN;
  const { action, by, rule, text, namesState, join } = triageAlert(
    config,
    alert,
    body,
    times.publishedAt ?? times.now,
  );
  // It quotes rules, which may name a secret.
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

/** A rule as a sentence begins with it. */
export function ruleName(rule: string): string {
  return rule === 'default' ? 'The default of triage.yaml' : `Rule ${rule} of triage.yaml`;
}

/** What the arrival of a message proves. */
export function proofOf({ source }: Pick<Alert, 'source'>, { publishedAt, now }: MessageTimes): string {
  const published = publishedAt === null ? '' : `, published ${timeText(publishedAt)}`;
  return `The way from ${nameOfSource(source)} to Inquest works: received ${timeText(now)}${published}, read by the adapter ${source}.`;
}

/** `2026-11-22 09:12:30 UTC`. */
function timeText(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
