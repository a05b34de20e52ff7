// Grafana: its own Alertmanager lists groups, and the provisioning API has the notification policies. Not run against a Grafana.

import type { CatchUpSource } from '../../shared/config/catchUpFile.ts';
import type { FoundAlert } from './foundAlert.ts';
import { getJson } from './getJson.ts';
import { groupPayloads, groupsSchema } from './groups.ts';
import { readRoute } from './routingTree.ts';

/** The groups that fire. */
export async function listGrafana(
  { url, receiver, token }: Extract<CatchUpSource, { source: 'grafana' }>,
  signal: AbortSignal,
): Promise<FoundAlert[]> {
  const headers = { authorization: `Bearer ${token}` };
  const at = (path: string) => new URL(`${url.replace(/\/$/, '')}/api/${path}`);
  const query = 'active=true&silenced=false&inhibited=false';
  const [policies, groups] = await Promise.all([
    getJson(at('v1/provisioning/policies'), headers, signal),
    getJson(at(`alertmanager/grafana/api/v2/alerts/groups?${query}`), headers, signal),
  ]);
  const root = readRoute(policies);
  return groupPayloads(groupsSchema.parse(groups), { root, receiver, externalUrl: url, more: { orgId: 1 } });
}
