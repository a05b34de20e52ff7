// The parts of servers.yaml, models.yaml and destinations.yaml that people see: an allow-list without
// addresses, commands, headers, variables and prices.

import * as z from 'zod';
import { asObject, type JsonObject } from '../text/json.ts';
import type { ConfigOverview } from './config.ts';
import type { Destinations } from './destinations.ts';
import type { Files } from './files.ts';
import { serverQuotaField } from './limitFields.ts';

const transportField = z.enum(['stdio', 'http', 'recorded']);

/** @param servers the entries of servers.yaml by name, as parsed: variables are not replaced. */
export function configOverview(
  { models: { default: usual, models } }: Pick<Files, 'models'>,
  servers: JsonObject,
  destinations: Destinations,
): ConfigOverview {
  return {
    servers: Object.entries(servers).map(([name, entry]) => shownServer(name, asObject(entry))),
    models: Object.entries(models).map(([name, { provider, model, limits = {} }]) => ({
      name,
      provider,
      model,
      isDefault: name === usual,
      limits,
    })),
    destinations: Object.entries(destinations).map(([name, { kind }]) => ({ name, kind })),
  };
}

function shownServer(
  name: string,
  { transport, instances, limits }: JsonObject,
): ConfigOverview['servers'][number] {
  return {
    name,
    transport: transportField.safeParse(transport).data ?? null,
    instances: Object.keys(asObject(asObject(instances).list)),
    limits: serverQuotaField.safeParse(limits).data ?? {},
  };
}
