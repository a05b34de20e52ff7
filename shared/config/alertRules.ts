// The alert rules of chains.yaml, and whether an alert matches one. Pure. Rules have no regular expressions:
// alerts are untrusted text, and each comparison scans the text once from front to back.

import * as z from 'zod';
import type { Alert } from '../alerts/schema/alert.ts';
import { ALERT_SOURCES } from '../alerts/sources.ts';
import { quoteText } from '../text/cut.ts';
import { matchesPattern } from '../text/pattern.ts';
import { oneOrMany, referenceTo, strictMapping } from './fields.ts';

const MAX_RULES = 50;
const MAX_VALUES = 50;
/** Longest value of an alert that is quoted, in characters. */
const MAX_QUOTE = 80;

const text = z.string().trim().min(1).max(200);
/** A text of fewer than three characters occurs in nearly every alert. */
const containedText = text.regex(/^.{3,}$/su, 'must have at least 3 characters');

/** Values by label, case-sensitive; `*` matches any text. */
export const labelConditions = z.record(z.string().min(1).max(200), oneOrMany(text, MAX_VALUES));

/** Conditions that every alert rule accepts. */
export const alertConditions = {
  /** The adapter that read the alert. */
  source: oneOrMany(referenceTo('source', ALERT_SOURCES), MAX_VALUES).optional(),
  /** Words for severities, in any letter case. */
  severity: oneOrMany(text, MAX_VALUES).optional(),
  labels: labelConditions.optional(),
  /** Texts that occur in title, summary or body, in any letter case. */
  text: oneOrMany(containedText, MAX_VALUES).optional(),
};

/** A rule: every condition it has must hold, and of each condition one of its values. */
const alertRule = strictMapping(alertConditions).superRefine((rule, context) => {
  const conditions = [rule.source, rule.severity, rule.text, ...Object.values(rule.labels ?? {})];
  if (conditions.some((condition) => condition !== undefined)) return;
  const message =
    'has no condition and would take every alert; give it source, severity, labels or text, or make its chain the default';
  context.addIssue({ code: 'custom', message });
});

/** The rules of a chain, of which one is enough. */
export const alertRulesSchema = z.array(alertRule).min(1).max(MAX_RULES);
/** A rule of a chain. */
export type AlertRule = z.output<typeof alertRule>;

/** An alert as rules see it. */
export interface AlertView {
  /** The alert, for its source, severity and labels. */
  alert: Alert;
  /** Title, summary and body, in lower case. */
  words: string;
}

/** An alert as rules see it. @param body the whole of it, without secrets. */
export function toAlertView(alert: Alert, body: string): AlertView {
  return { alert, words: [alert.title, alert.summary ?? '', body].join('\n').toLowerCase() };
}

/** A condition of a rule, and whether the alert meets it. */
export interface Condition {
  /** `source`, `severity`, `label NAME` or `text`. */
  field: string;
  /** Whether the alert meets it. */
  holds: boolean;
  /** For people: `label team is "checkout" (check*)`, `severity is "info", not critical or page`. */
  text: string;
}

/** Checks every condition of a rule, in the order source, severity, labels, text. */
export function checkRule(rule: AlertRule, { alert, words }: AlertView): Condition[] {
  const conditions: Condition[] = [];
  const add = (
    field: string,
    found: string | null | undefined,
    wanted: readonly string[],
    by: Comparison,
  ) => {
    const value = wanted.find((one) => typeof found === 'string' && by(found, one));
    conditions.push({
      field,
      holds: value !== undefined,
      text: describeCondition(field, found, wanted, value),
    });
  };
  if (rule.source !== undefined) add('source', alert.source, rule.source, equals);
  if (rule.severity !== undefined) add('severity', alert.severity, rule.severity, equalsIgnoringCase);
  for (const [name, wanted] of Object.entries(rule.labels ?? {})) {
    const found = Object.hasOwn(alert.labels, name) ? alert.labels[name] : undefined;
    add(`label ${name}`, found, wanted, matchesPattern);
  }
  if (rule.text !== undefined) conditions.push(checkText(rule.text, words));
  return conditions;
}

type Comparison = (found: string, wanted: string) => boolean;
const equals: Comparison = (found, wanted) => found === wanted;
const equalsIgnoringCase: Comparison = (found, wanted) => found.toLowerCase() === wanted.toLowerCase();

function checkText(wanted: readonly string[], words: string): Condition {
  const found = wanted.find((one) => words.includes(one.toLowerCase()));
  return found === undefined
    ? { field: 'text', holds: false, text: `text has none of ${joinChoices(wanted)}` }
    : { field: 'text', holds: true, text: `text has "${found}"` };
}

function describeCondition(
  field: string,
  found: string | null | undefined,
  wanted: readonly string[],
  matched: string | undefined,
): string {
  if (found === null || found === undefined) return `${field} is missing, wanted ${joinChoices(wanted)}`;
  const value = `${field} is "${quoteText(found, MAX_QUOTE)}"`;
  if (matched === undefined) return `${value}, not ${joinChoices(wanted)}`;
  return matched === found ? value : `${value} (${matched})`;
}

/** `a, b or c`. */
export function joinChoices(values: readonly string[]): string {
  const quoted = values.map((value) => quoteText(value, MAX_QUOTE));
  const last = quoted.pop() ?? '';
  return quoted.length === 0 ? last : `${quoted.join(', ')} or ${last}`;
}
