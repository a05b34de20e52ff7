// What triage makes of an alert, for people and programs that ask before it is sent.

import { InvalidArgumentError } from 'commander';
import { isInvestigated } from '../../shared/alerts/status.ts';
import type { TriageDecision } from '../../shared/config/triage.ts';
import type { Alert } from '../../shared/schema/session.ts';
import { printable } from '../print/printer.ts';

/** Whether an alert is investigated, as far as triage and the alert itself decide. */
export function isInvestigatedBy({ action, namesState }: TriageDecision, { status }: Alert): boolean {
  return action === 'investigate' && (namesState || isInvestigated(status));
}

/** The decision for programs. */
export function triageJson({ action, rule, text, passed }: TriageDecision) {
  return { action, rule, text: printable(text), passed };
}

/** The decision for people: the rules that do not take the alert, the one that does, and what follows. */
export function triageLines(triage: TriageDecision, alert: Alert): string[] {
  const { action, rule, text, passed } = triage;
  return [
    ...passed.map((one) => `not         ${one.rule}: ${printable(one.text)}`),
    `triage      ${action}, by ${rule}: ${printable(text)}`,
    `then        ${thenText(triage, alert)}`,
  ];
}

/** Why nothing would be investigated. */
export function notInvestigatedText({ action, rule, text }: TriageDecision, { status }: Alert): string {
  if (action === 'investigate') return `Its status is ${status}: nothing would be investigated.`;
  return `Triage would ${action} it, by ${rule}: ${printable(text)}.`;
}

function thenText(triage: TriageDecision, alert: Alert): string {
  if (triage.action === 'drop') return 'it is counted (inquest dropped), and nothing is stored';
  if (triage.action === 'record')
    return 'nothing runs: it is stored as deferred, and starts by hand (inquest start-deferred SESSION)';
  if (isInvestigatedBy(triage, alert))
    return 'it is investigated, unless a budget is used up or it is about Inquest itself';
  return `nothing runs: its status is ${alert.status}, so it is stored as deferred`;
}

/** Reads a time of an option. @throws InvalidArgumentError for text that is none. */
export function readTime(text: string): Date {
  const time = new Date(text);
  if (/^\d{4}-\d\d-\d\d/.test(text) && !Number.isNaN(time.getTime())) return time;
  throw new InvalidArgumentError('It is a time such as 2026-11-22T23:30Z.');
}
