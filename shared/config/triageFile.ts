// triage.yaml: which alerts are investigated, which are recorded, which are dropped. The first rule that
// takes an alert decides.

import * as z from 'zod';
import { SEVERITY_RANKS, severityWord } from '../contract/severity.ts';
import { nameSchema } from '../core/schema/common.ts';
import { compilePattern } from '../masking/userRules.ts';
import { asObject } from '../text/json.ts';
import { describeExpected } from '../text/suggest.ts';
import { alertConditions } from './alertRules.ts';
import { configFile } from './configFile.ts';
import { duration, eachOnce, type KnownNames, oneOrMany, referenceTo, strictMapping } from './fields.ts';
import { notifyField } from './notify.ts';
import { timeZone, weeklySpan, windowSpan } from './triageTimes.ts';
import { isTimeZone } from './wallClock.ts';

const MAX_RULES = 100;
const MAX_WINDOWS = 100;
const MAX_VALUES = 50;
/** Each costs every alert four reads and a write. */
const MAX_CORRELATIONS = 5;
const DEFAULT_WINDOW_MS = 15 * 60_000;
/** Each is searched in the whole text of an alert. */
const MAX_PATTERNS = 10;

/** Actions for an alert. `record`: opens a deferred session. `drop`: only counts the alert. */
const TRIAGE_ACTIONS = ['investigate', 'record', 'drop'] as const;
/** The action for an alert. */
export type TriageAction = (typeof TRIAGE_ACTIONS)[number];

const STATES = ['firing', 'unknown', 'resolved', 'acknowledged', 'test'] as const;

/** Names of decisions that no rule of the file makes. */
const BUILT_IN_RULES = ['default', 'watchdog', 'rerun'] as const;

/** An RE2 pattern. RE2 takes time linear in the text for every pattern. */
const pattern = z
  .string()
  .min(1)
  .max(1000)
  .superRefine((text, context) => {
    const compiled = compilePattern(text);
    if (!compiled.ok) context.addIssue({ code: 'custom', message: compiled.message });
  });

/** A word for severities that is known, or listed as one of the installation's own. */
const severity = (own: readonly string[]) =>
  z
    .string()
    .min(1)
    .max(200)
    .superRefine((word, context) => {
      const known = [...SEVERITY_RANKS.flat(), ...own];
      if (known.some((one) => severityWord(one) === severityWord(word))) return;
      const message = `unknown severity "${word}"; if a source of yours uses the word, add it to severities; ${describeExpected(word, known)}`;
      context.addIssue({ code: 'custom', message });
    });

/** Alerts with the same values in all of these labels belong together when they come within the window. */
const correlation = strictMapping({
  labels: z.array(z.string().min(1).max(200)).min(1).max(10).superRefine(eachOnce),
  window: duration('24h').default(DEFAULT_WINDOW_MS),
}).transform(({ labels, window }) => ({ labels, windowMs: window }));

interface KnownInTriage {
  /** The file's time zone for times without one of their own; `UTC` if it names no valid one. */
  timezone: string;
  /** The file's own words for severities, beside the built-in ones. */
  severities: readonly string[];
  /** Names of the file's maintenance windows. */
  windows: readonly string[];
  /** Whether the file has correlate. */
  correlates: boolean;
  /** Names in destinations.yaml. */
  destinations: KnownNames;
}

const triageRule = ({ timezone, severities, windows, correlates, destinations }: KnownInTriage) =>
  strictMapping({
    name: nameSchema,
    ...alertConditions,
    severity: oneOrMany(severity(severities), MAX_VALUES).optional(),
    /** Patterns of RE2 that are found in title, summary or body. */
    pattern: oneOrMany(pattern, MAX_PATTERNS).optional(),
    state: oneOrMany(z.enum(STATES), STATES.length).optional(),
    time: weeklySpan(timezone).optional(),
    /** Maintenance windows of the file. */
    window: oneOrMany(referenceTo('window', windows), MAX_VALUES).optional(),
    action: z.enum(TRIAGE_ACTIONS),
    /** Whether the alert joins the open session of one that shares labels with it (`correlate`). */
    join: z.boolean().optional(),
    /** Destinations in addition to the chain's; an entry replaces that of the same destination. */
    notify: notifyField(destinations),
    /** Why, for those who read the timeline. */
    reason: z.string().trim().min(1).max(500).optional(),
  }).superRefine(({ name, action, join, reason: _, notify, ...conditions }, context) => {
    const add = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
    if (BUILT_IN_RULES.some((built) => built === name))
      add(['name'], `"${name}" is the name of a built-in decision; give the rule a different name`);
    if (notify !== undefined && action === 'drop')
      add(['notify'], 'has no effect with action: drop, which opens no session; use action: record');
    if (join && action !== 'investigate')
      add(['join'], `needs action: investigate; an alert to ${action} joins no session`);
    if (join && !correlates)
      add(['join'], 'needs correlate, which lists the labels by which alerts belong together');
    const { labels, ...others } = conditions;
    const all = [...Object.values(others), ...Object.values(labels ?? {})];
    if (all.every((condition) => condition === undefined))
      add([], 'has no condition and would take every alert; give it one, or write its action as default');
  });
/** A rule of triage.yaml. */
export type TriageRule = z.output<ReturnType<typeof triageRule>>;

/**
 * @param value the file as it was parsed, whose names its rules refer to.
 * @param destinations the names of destinations.yaml; undefined when they are unknown.
 */
export const triageFileSchema = (value: unknown, destinations?: KnownNames) => {
  const file = asObject(value);
  const timezone = typeof file.timezone === 'string' && isTimeZone(file.timezone) ? file.timezone : 'UTC';
  const own = Array.isArray(file.severities) ? file.severities : [];
  const known: KnownInTriage = {
    timezone,
    severities: own.filter((word) => typeof word === 'string'),
    windows: Object.keys(asObject(file.windows)),
    correlates: Array.isArray(file.correlate) && file.correlate.length > 0,
    destinations,
  };
  return strictMapping({
    timezone: timeZone.default('UTC'),
    /** Words for severities that custom sources use. */
    severities: z.array(z.string().trim().min(1).max(100)).max(MAX_VALUES).default([]),
    windows: z
      .record(nameSchema, windowSpan(timezone))
      .default({})
      .superRefine((windows, context) => {
        if (Object.keys(windows).length <= MAX_WINDOWS) return;
        const message = `holds more than ${MAX_WINDOWS} windows; take out those that are over`;
        context.addIssue({ code: 'custom', message });
      }),
    /** Labels by which alerts belong together. */
    correlate: z.array(correlation).max(MAX_CORRELATIONS).default([]),
    rules: z.array(triageRule(known)).max(MAX_RULES).default([]).superRefine(namesAreDistinct),
    /** The action for an alert that no rule matches. */
    default: z.enum(TRIAGE_ACTIONS).default('investigate'),
  });
};
export const triageFile = configFile({
  name: 'triage',
  schema: ({ destinations }, value) => triageFileSchema(value, destinations),
});

/** The parsed triage.yaml. */
export type TriageConfig = z.output<ReturnType<typeof triageFileSchema>>;

function namesAreDistinct(rules: { name: string }[], context: z.RefinementCtx): void {
  for (const [index, { name }] of rules.entries()) {
    if (rules.findIndex((rule) => rule.name === name) === index) continue;
    const message = `another rule has the name "${name}"; counts and timelines name rules, so give this one another`;
    context.addIssue({ code: 'custom', path: [index, 'name'], message });
  }
}

/** The settings without triage.yaml. */
export const NO_TRIAGE: TriageConfig = {
  timezone: 'UTC',
  severities: [],
  windows: {},
  correlate: [],
  rules: [],
  default: 'investigate',
};
