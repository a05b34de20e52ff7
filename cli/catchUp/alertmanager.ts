// Alertmanager: its API v2 lists groups, and its status holds the routing tree.

import { parse } from 'yaml';
import * as z from 'zod';
import type { CatchUpSource } from '../../shared/config/catchUpFile.ts';
import { asObject } from '../../shared/text/json.ts';
import type { FoundAlert } from './foundAlert.ts';
import { getJson } from './getJson.ts';
import { groupPayloads, groupsSchema } from './groups.ts';
import { readRoute } from './routingTree.ts';

const statusSchema = z.looseObject({ config: z.looseObject({ original: z.string() }) });

/** The groups that fire. */
export async function listAlertmanager(
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
