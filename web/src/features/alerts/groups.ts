// Refused messages by reason, and dropped alerts by day.

import type { DroppedAlerts, RejectedMessages } from '../../../../shared/lists/apiTypes.ts';

type Sample = RejectedMessages['samples'][number];

/** Messages that one function refused for one reason. */
export interface Refusal {
  code: string;
  function: string;
  count: number;
  /** The hours in which it happened, the newest first, in UTC. */
  hours: { hour: string; count: number }[];
  /** Those that were kept, the newest first. */
  samples: Sample[];
}

/** One group for each code and function; the one that refused last comes first. */
export function groupRefusals(messages: readonly RejectedMessages[]): Refusal[] {
  const groups = Map.groupBy(messages, ({ code, function: name }) => `${code} ${name}`);
  return [...groups.values()]
    .map((group) => ({
      code: group[0]?.code ?? '',
      function: group[0]?.function ?? '',
      count: sumCounts(group),
      hours: group.map(({ hour, count }) => ({ hour, count })).sort((a, b) => b.hour.localeCompare(a.hour)),
      samples: group.flatMap(({ samples }) => samples).sort((a, b) => b.at.localeCompare(a.at)),
    }))
    .sort((a, b) => (b.hours[0]?.hour ?? '').localeCompare(a.hours[0]?.hour ?? ''));
}

/** Dropped alerts of a day, by rule. */
export interface DroppedDay {
  day: string;
  count: number;
  /** The rule that dropped the most comes first. */
  rules: DroppedAlerts[];
}

/** Days with the alerts that rules dropped, the newest first. */
export function groupDropped(alerts: readonly DroppedAlerts[]): DroppedDay[] {
  return [...Map.groupBy(alerts, ({ day }) => day)]
    .map(([day, rules]) => ({
      day,
      count: sumCounts(rules),
      rules: rules.toSorted((a, b) => b.count - a.count || a.rule.localeCompare(b.rule)),
    }))
    .sort((a, b) => b.day.localeCompare(a.day));
}

/** How many there are together. */
export function sumCounts(counted: readonly { count: number }[]): number {
  return counted.reduce((total, { count }) => total + count, 0);
}
