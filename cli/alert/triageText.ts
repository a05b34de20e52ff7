// Formats the decision of triage about an alert, for people.

import { InvalidArgumentError } from 'commander';
import type { Alert } from '../../shared/alerts/schema/alert.ts';
import type { TriageDecision } from '../../shared/config/triage.ts';
import { isInvestigatedBy } from '../../shared/kits/views/alerts/alertPreview.ts';
import { printableText } from '../process/output.ts';

/** The decision for people: the rules that did not match, the rule that did, and its consequence. */
export function triageLines(triage: TriageDecision, alert: Alert): string[] {
  const { action, rule, text, passed } = triage;
  return [
    ...passed.map((one) => `not         ${one.rule}: ${printableText(one.text)}`),
    `triage      ${action}, by ${rule}: ${printableText(text)}`,
    `then        ${thenText(triage, alert)}`,
  ];
}

/** The reason why the alert would not be investigated. */
export function notInvestigatedText({ action, rule, text }: TriageDecision, { status }: Alert): string {
  if (action === 'investigate') return `Its status is ${status}: nothing would be investigated.`;
  return `Triage would ${action} it, by ${rule}: ${printableText(text)}.`;
}

function thenText(triage: TriageDecision, alert: Alert): string {
  if (triage.action === 'drop') return 'it is counted (inquest dropped) and not stored';
  if (triage.action === 'record') return 'it is stored as deferred; inquest start-deferred SESSION starts it';
  if (isInvestigatedBy(triage, alert))
    return 'it is investigated, unless a budget is used up or it is about Inquest itself';
  return `its status is ${alert.status}, so it is stored as deferred`;
}

/** Parses the time in an option. @throws InvalidArgumentError for any other text. */
export function readTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It is a time such as 2026-11-22T23:30Z.');
}
