// Groups of firing alerts of Alertmanager's API v2, also Grafana's, as webhook payloads.

import * as z from 'zod';
import type { FiringAlert } from './firingAlert.ts';
import { composeGroupKey, type Route } from './routingTree.ts';

const labels = z.record(z.string(), z.string());

/** `GET /api/v2/alerts/groups`. */
export const groupsSchema = z.array(
  z.looseObject({
    labels,
    receiver: z.looseObject({ name: z.string() }),
    alerts: z.array(
      z.looseObject({
        labels,
        annotations: labels,
        startsAt: z.iso.datetime({ offset: true }),
        generatorURL: z.string().optional(),
        fingerprint: z.string(),
        status: z.looseObject({ state: z.string() }),
      }),
    ),
  }),
);
type Group = z.output<typeof groupsSchema>[number];

/** The end of an alert that fires. */
const NO_END = '0001-01-01T00:00:00Z';

/**
 * The groups that a receiver gets, as its webhook sends them.
 * @param more fields of the payload that the source adds.
 * @throws Error if the routing tree has no route for a group: its key, and so its session, would be a
 * different one.
 */
export function groupPayloads(
  groups: readonly Group[],
  { root, receiver, externalUrl, more }: { root: Route; receiver: string; externalUrl: string; more: object },
): FiringAlert[] {
  return groups.flatMap((group): FiringAlert[] => {
    const active = group.alerts.filter(({ status }) => status.state === 'active');
    const [first] = active;
    if (group.receiver.name !== receiver || first === undefined) return [];
    const groupKey = composeGroupKey(root, { labels: first.labels, groupLabels: group.labels, receiver });
    if (groupKey === undefined)
      throw new Error(
        `no route sends ${JSON.stringify(group.labels)} to ${receiver}: its configuration changed meanwhile, run the command again`,
      );
    const alerts = active
      .map(({ labels: own, annotations, startsAt, generatorURL = '', fingerprint }) => ({
        status: 'firing',
        labels: own,
        annotations,
        startsAt,
        endsAt: NO_END,
        generatorURL,
        fingerprint,
      }))
      .sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1));
    const starts = alerts.map(({ startsAt }) => Date.parse(startsAt));
    const payload = {
      receiver,
      status: 'firing',
      alerts,
      groupLabels: group.labels,
      commonLabels: commonEntries(active.map((alert) => alert.labels)),
      commonAnnotations: commonEntries(active.map((alert) => alert.annotations)),
      externalURL: externalUrl,
      version: '4',
      groupKey,
      truncatedAlerts: 0,
      ...more,
    };
    const title = group.labels.alertname ?? first.labels.alertname ?? groupKey;
    return [{ payload, startedAt: new Date(Math.max(...starts)), title }];
  });
}

function commonEntries(all: readonly Readonly<Record<string, string>>[]): Record<string, string> {
  const [first = {}, ...others] = all;
  return Object.fromEntries(
    Object.entries(first).filter(([name, value]) => others.every((one) => one[name] === value)),
  );
}
