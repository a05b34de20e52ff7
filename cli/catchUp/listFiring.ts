// The sources that can list their alerts.

import { parse } from 'yaml';
import * as z from 'zod';
import type { CatchUpSource } from '../../shared/config/catchUpFile.ts';
import { asObject } from '../../shared/text/json.ts';
import { listCloudMonitoring } from './cloudMonitoring.ts';
import type { FoundAlert } from './foundAlert.ts';
import { getJson } from './getJson.ts';
import { groupPayloads, groupsSchema } from './groups.ts';
import { listPagerDuty } from './pagerDuty.ts';
import { readRoute } from './routingTree.ts';

/** The alerts that fire at a source now. @throws Error with the cause and the fix. */
export function listFiring(source: CatchUpSource, signal: AbortSignal): Promise<FoundAlert[]> {
  switch (source.source) {
    case 'alertmanager':
      return listAlertmanager(source, signal);
    case 'grafana':
      return listGrafana(source, signal);
    case 'pagerduty':
      return listPagerDuty(source, signal);
    case 'cloud-monitoring':
      return listCloudMonitoring(source, signal);
  }
}

const statusSchema = z.looseObject({ config: z.looseObject({ original: z.string() }) });

/** The groups that fire. */
async function listAlertmanager(
  { url, receiver, token }: Extract<CatchUpSource, { source: 'alertmanager' }>,
  signal: AbortSignal,
): Promise<FoundAlert[]> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const at = (path: string) => new URL(`${url.replace(/\/$/, '')}/api/v2/${path}`);
  const query = 'active=true&silenced=false&inhibited=false';
  const [status, groups] = await Promise.all([
    getJson(at('status'), headers, signal),
    getJson(at(`alerts/groups?${query}`), headers, signal),
  ]);
  const { original } = statusSchema.parse(status).config;
  const root = readRoute(asObject(parse(original)).route);
  return groupPayloads(groupsSchema.parse(groups), { root, receiver, externalUrl: url, more: {} });
}

/** The groups that fire. */
async function listGrafana(
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
