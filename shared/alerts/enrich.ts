// Adds the values of a table to the labels of an alert. Labels of alerts are untrusted: they are compared as
// whole values, and never become a path, a property or a pattern. Pure.

import { labelName, labelValue } from '../text/labels.ts';
import type { Alert } from './schema/alert.ts';

/** As many labels as an alert can have. */
const MAX_LABELS = 50;

/** The key of a row: different for all different lists of values; undefined if a value is missing. */
export function rowKey(values: readonly string[]): string | undefined {
  return values.some((value) => value === '') ? undefined : JSON.stringify(values);
}

/** The key of the row for an alert; undefined if it lacks one of the labels. */
export function keyOfAlert({ labels }: Pick<Alert, 'labels'>, by: readonly string[]): string | undefined {
  return rowKey(by.map((name) => (Object.hasOwn(labels, name) ? (labels[name] ?? '') : '')));
}

/**
 * The alert with the values of a row as labels. They replace labels of the same name, which the sender of an
 * alert chooses. A `runbook` that is an address becomes the alert's link to its runbook.
 */
export function withValues(alert: Alert, values: Readonly<Record<string, string>>): Alert {
  const set = Object.entries(values).map(([name, value]): [string, string] => [
    labelName(name),
    labelValue(value),
  ]);
  const names = new Set(set.map(([name]) => name));
  const others = Object.entries(alert.labels).filter(([name]) => !names.has(name));
  const labels = Object.fromEntries([...set, ...others].slice(0, MAX_LABELS));
  const runbookUrl = webAddress(values.runbook) ?? alert.runbookUrl;
  return { ...alert, labels, runbookUrl };
}

function webAddress(text = ''): string | undefined {
  const url = URL.parse(text);
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? url.href : undefined;
}
