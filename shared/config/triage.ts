// Decides how to handle an alert before it causes costs: the first rule of triage.yaml that matches it, else
// the built-in rules. Pure.

import type { Alert } from '../alerts/schema/alert.ts';
import { compilePattern } from '../masking/userRules.ts';
import { limitHead } from '../text/limitText.ts';
import { type AlertView, type Condition, checkRule, joinChoices, toAlertView } from './alertRules.ts';
import { NO_TRIAGE, type TriageAction, type TriageConfig, type TriageRule } from './triageFile.ts';
import { isWithin, momentText, type Span, spanText } from './triageTimes.ts';

/** Maximum length of the reason, in UTF-8 bytes. */
const MAX_REASON_BYTES = 1_000;
/** Of the body, in characters: patterns look no further. A thousand times a line of a log. */
const MAX_SEARCHED = 262_144;

/** The action for an alert, and its reason. */
export interface TriageDecision {
  /** Whether the alert is investigated, only recorded, or dropped. */
  action: TriageAction;
  /** The source of the decision: a rule of triage.yaml, the built-in watchdog rule, or the default. */
  by: 'rule' | 'watchdog' | 'default';
  /** The name of the rule, or `by`. */
  rule: string;
  /** For people: the conditions that hold, and the rule's own reason. */
  text: string;
  /** Whether the rule names the alert's state, so that the alert is investigated in any state. */
  namesState: boolean;
  /** Whether the rule has it join the open session of an alert that shares labels with it. */
  join: boolean;
  /** The rules that did not match, each with its failed condition. */
  passed: { rule: string; text: string }[];
}

/**
 * The decision about an alert.
 * @param body the whole body of the alert, without secrets.
 * @param at when its message was published: the same for every delivery of it.
 */
export function triageAlert(
  config: TriageConfig = NO_TRIAGE,
  alert: Alert,
  body: string,
  at: Date,
): TriageDecision {
  const view = toAlertView(alert, body);
  const text = [alert.title, alert.summary ?? '', body.slice(0, MAX_SEARCHED)].join('\n');
  const passed: TriageDecision['passed'] = [];
  for (const rule of config.rules) {
    const conditions = checkTriageRule(rule, config, { view, text, at });
    const missing = conditions.filter(({ holds }) => !holds);
    if (missing.length > 0) {
      passed.push({ rule: rule.name, text: joinConditions(missing) });
      continue;
    }
    const why = [...(rule.reason === undefined ? [] : [rule.reason]), joinConditions(conditions)].join(': ');
    const namesState = rule.state?.includes(alert.status) ?? false;
    const found = {
      action: rule.action,
      by: 'rule',
      rule: rule.name,
      namesState,
      join: rule.join ?? false,
    } as const;
    return { ...found, text: limitHead(why, MAX_REASON_BYTES), passed };
  }
  if (isWatchdog(alert)) {
    const why = `label alertname is "${alert.labels.alertname}": an alert that always fires, to show that alerts come through`;
    return {
      action: 'record',
      by: 'watchdog',
      rule: 'watchdog',
      text: why,
      namesState: false,
      join: false,
      passed,
    };
  }
  const why =
    config.rules.length === 0 ? 'it is the default' : 'it is the default, and no rule takes the alert';
  return {
    action: config.default,
    by: 'default',
    rule: 'default',
    text: why,
    namesState: false,
    join: false,
    passed,
  };
}

const joinConditions = (conditions: readonly Condition[]): string =>
  conditions.map(({ text }) => text).join('; ');

/** An alert as the rules of triage see it. */
interface TriageView {
  /** The alert as conditions of all rules see it. */
  view: AlertView;
  /** Title, summary and the head of the body, as they came. */
  text: string;
  /** The time when the alert's message was published. */
  at: Date;
}

function checkTriageRule(
  rule: TriageRule,
  { windows }: TriageConfig,
  { view, text, at }: TriageView,
): Condition[] {
  const conditions = checkRule(rule, view);
  const { state, pattern, time, window } = rule;
  const { status } = view.alert;
  if (state !== undefined) {
    const holds = state.includes(status);
    const words = holds ? `state is ${status}` : `state is ${status}, not ${joinChoices(state)}`;
    conditions.push({ field: 'state', holds, text: words });
  }
  if (time !== undefined) {
    const holds = isWithin(time, at);
    const words = `time is ${momentText(time, at)}, ${holds ? 'in' : 'not in'} ${spanText(time)}`;
    conditions.push({ field: 'time', holds, text: words });
  }
  if (window !== undefined) conditions.push(checkWindows(window, windows, at));
  // Searched last, and not where the rest has decided: it costs the most.
  if (pattern !== undefined && conditions.every(({ holds }) => holds))
    conditions.push(checkPatterns(pattern, text));
  return conditions;
}

function checkWindows(
  names: readonly string[],
  windows: Readonly<Record<string, Span>>,
  at: Date,
): Condition {
  for (const name of names) {
    const span = windows[name];
    if (span !== undefined && isWithin(span, at))
      return { field: 'window', holds: true, text: `window ${name} is open (${spanText(span)})` };
  }
  return { field: 'window', holds: false, text: `no window of ${names.join(', ')} is open` };
}

function checkPatterns(patterns: readonly string[], text: string): Condition {
  for (const pattern of patterns) {
    const compiled = compilePattern(pattern);
    if (compiled.ok && compiled.pattern.matcher(text).find())
      return { field: 'pattern', holds: true, text: `pattern "${pattern}" is found` };
  }
  return { field: 'pattern', holds: false, text: `no pattern of ${joinChoices(patterns)} is found` };
}

/** Names of alerts that always fire: of kube-prometheus, and of services that monitor them. */
const WATCHDOGS = new Set(['watchdog', 'deadmansswitch', 'deadmanswitch', 'deadmanssnitch', 'alwaysfiring']);
const WATCHDOG_SOURCES = new Set(['alertmanager', 'grafana']);

/** Size from which a group can have more alerts than are known here. */
const MANY_MEMBERS = 30;

/**
 * Whether an alert always fires, so that its absence is the alarm. The labels of a group can be those of its
 * first alert, so a group counts as a watchdog only when all of its alerts have the same title.
 */
function isWatchdog({ source, status, labels, members }: Alert): boolean {
  if (!WATCHDOG_SOURCES.has(source) || (status !== 'firing' && status !== 'unknown')) return false;
  const titles = new Set(members.map(({ title }) => title));
  if (titles.size > 1 || members.length >= MANY_MEMBERS) return false;
  return WATCHDOGS.has((labels.alertname ?? '').toLowerCase().replace(/[\s_-]/g, ''));
}
