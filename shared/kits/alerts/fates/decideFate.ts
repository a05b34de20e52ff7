// The fate of an alert that intake has settled, with the rule that decided it. Pure.

import { composeProblemKey } from '../../../alerts/incident.ts';
import type { AlertFate, RulePlace } from '../../../alerts/schema/alertFate.ts';
import type { RuleLines } from '../../../config/ruleLines.ts';
import type { TriagedAlert } from '../alert.ts';
import type { Deferral } from '../deferredSession.ts';
import type { FirstOutcome } from '../intakeOutcome.ts';
import type { NewFate } from './storeFate.ts';

/** The part of a fate that the outcome decides. */
type DecidedFate = Pick<AlertFate, 'outcome' | 'by' | 'subject' | 'place' | 'reason' | 'sessionId'>;

/** The fate of an alert, to be stored. */
export function composeFate(alert: TriagedAlert, outcome: FirstOutcome): NewFate {
  const { key, messageId, owner, reportedAt, places } = alert;
  const { title, source, severity, status: state } = alert.alert;
  const problem = composeProblemKey(alert.alert);
  const read = { key, messageId, at: reportedAt, tenantId: owner.tenantId, problem };
  return { ...read, title, source, severity, state, ...decideFate(alert, outcome, places ?? {}) };
}

/** The outcome of an alert, and the rule that decided it. */
export function decideFate(
  { triage, report }: Pick<TriagedAlert, 'triage' | 'report'>,
  outcome: FirstOutcome,
  places: RuleLines,
): DecidedFate {
  const byRule = { by: triage.by, subject: triage.rule, place: placeOfTriage(triage, places) };
  switch (outcome.outcome) {
    case 'opened':
      return { outcome: 'opened', ...byRule, reason: triage.text, sessionId: outcome.sessionId };
    case 'dropped':
      return { outcome: 'dropped', ...byRule, reason: triage.text, sessionId: null };
    case 'attached': {
      const { sessionId } = outcome;
      if (outcome.report === 'joined') {
        const reason = `it shares labels with an alert of this session: ${triage.text}`;
        return { outcome: 'joined', ...byRule, reason, sessionId };
      }
      const reason = `the session of the same problem counts it (${report.kind})`;
      return { outcome: 'joined', by: 'incident', subject: report.kind, place: null, reason, sessionId };
    }
    case 'deferred': {
      const { sessionId, deferral } = outcome;
      if (deferral.reason === 'triage' || deferral.reason === 'watchdog')
        return { outcome: 'recorded', ...byRule, reason: triage.text, sessionId };
      return { ...deferredFate(deferral, places), reason: deferral.text, sessionId };
    }
  }
}

function placeOfTriage({ by, rule }: TriagedAlert['triage'], places: RuleLines): RulePlace | null {
  const key = by === 'rule' ? `rule.${rule}` : by;
  return placeAt(places, key);
}

function deferredFate(
  { reason, subject, text, budgets, chain }: Deferral,
  places: RuleLines,
): Pick<DecidedFate, 'outcome' | 'by' | 'subject' | 'place'> {
  switch (reason) {
    case 'sessions_per_hour':
    case 'daily_tokens': {
      const limits = reason === 'daily_tokens' ? budgets?.dailyTokens : budgets?.sessionsPerHour;
      // The text names the chain whose limit is reached.
      const ofChain = limits?.find(({ chain }) => chain !== null && text.startsWith(`In chain ${chain},`));
      const key = ofChain === undefined ? `system.${subject}` : `chain.${ofChain.chain}.${subject}`;
      return { outcome: 'deferred', by: 'budget', subject, place: placeAt(places, key) };
    }
    case 'budget':
      return { outcome: 'recorded', by: 'budget', subject, place: placeAt(places, 'system.budgets') };
    case 'settling':
      return {
        outcome: 'deferred',
        by: 'settle',
        subject,
        place: placeAt(places, `chain.${chain}.settle`) ?? placeAt(places, 'system.settle'),
      };
    case 'own_alert':
      return { outcome: 'recorded', by: 'own_alert', subject, place: placeAt(places, 'system.ownServices') };
    default:
      return { outcome: 'recorded', by: 'state', subject, place: null };
  }
}

function placeAt(places: RuleLines, key: string): RulePlace | null {
  return Object.hasOwn(places, key) ? (places[key] ?? null) : null;
}
