// The sources that can list their alerts.

import { parseDocument } from 'yaml';
import * as z from 'zod';
import type { CatchUpSource } from '../../../../shared/config/catchUpFile.ts';
import { describeYamlError } from '../../../../shared/config/yamlFaults.ts';
import { asObject } from '../../../../shared/text/json.ts';
import { parseAs } from '../../../../shared/text/zodIssues.ts';
import { groupPayloads, groupsSchema } from './alertGroups.ts';
import { listCloudMonitoring } from './cloudMonitoring.ts';
import type { FiringAlert } from './firingAlert.ts';
import { getJson } from './getJson.ts';
import { listPagerDuty } from './pagerDuty.ts';
import { readRoute } from './routingTree.ts';

/** The alerts that fire at a source now. @throws Error with the cause and the fix. */
export function listFiring(source: CatchUpSource, signal: AbortSignal): Promise<FiringAlert[]> {
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
): Promise<FiringAlert[]> {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const at = (path: string) => new URL(`${url.replace(/\/$/, '')}/api/v2/${path}`);
  const query = 'active=true&silenced=false&inhibited=false';
  const [status, groups] = await Promise.all([
    getJson(at('status'), headers, signal),
    getJson(at(`alerts/groups?${query}`), headers, signal),
  ]);
  const { original } = parseAs(statusSchema, status, `${at('status')}`).config;
  const root = readRoute(asObject(parseConfig(original, at('status'))).route);
  return groupPayloads(parseAs(groupsSchema, groups, `${at('alerts/groups')}`), {
    root,
    receiver,
    externalUrl: url,
    more: {},
  });
}

/** The configuration of an Alertmanager. @throws Error that names the address. */
function parseConfig(text: string, from: URL): unknown {
  const document = parseDocument(text);
  const [fault] = document.errors;
  if (fault === undefined) return document.toJS();
  throw new Error(`${from}: config.original is ${describeYamlError(text, fault.code, fault.pos[0])}`);
}

/** The groups that fire. */
async function listGrafana(
  { url, receiver, token }: Extract<CatchUpSource, { source: 'grafana' }>,
  signal: AbortSignal,
): Promise<FiringAlert[]> {
  const headers = { authorization: `Bearer ${token}` };
  const at = (path: string) => new URL(`${url.replace(/\/$/, '')}/api/${path}`);
  const query = 'active=true&silenced=false&inhibited=false';
  const [policies, groups] = await Promise.all([
    getJson(at('v1/provisioning/policies'), headers, signal),
    getJson(at(`alertmanager/grafana/api/v2/alerts/groups?${query}`), headers, signal),
  ]);
  const root = readRoute(policies);
  const found = parseAs(groupsSchema, groups, `${at('alertmanager/grafana/api/v2/alerts/groups')}`);
  return groupPayloads(found, { root, receiver, externalUrl: url, more: { orgId: 1 } });
}
