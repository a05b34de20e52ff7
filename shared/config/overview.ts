// The parts of servers.yaml, models.yaml and destinations.yaml that people see: an allow-list without
// addresses, commands, headers, variables and prices.

import * as z from 'zod';
import type { ModelQuota, ServerQuota } from '../contract/quotas.ts';
import type { JsonObject } from '../text/json.ts';
import { asObject } from '../text/json.ts';
import type { Destinations } from './destinations.ts';
import type { Files } from './files.ts';
import { serverQuotaField } from './limitFields.ts';

/** A tool server, without the settings of its connection. */
interface ShownServer {
  name: string;
  /** Null for an entry that this process cannot read; the process that runs tools validates it. */
  transport: 'stdio' | 'http' | 'recorded' | null;
  /** Names of its instances; empty for one server. */
  instances: string[];
  limits: ServerQuota;
}

/** An entry of models.yaml. */
interface ShownModel {
  name: string;
  provider: string;
  /** The provider's id of the model. */
  model: string;
  /** Whether agents without a model use it. */
  isDefault: boolean;
  limits: ModelQuota;
}

/** The parts of the configuration that `SessionConfig` has in no other field, for display. */
export interface ConfigOverview {
  servers: readonly ShownServer[];
  models: readonly ShownModel[];
  destinations: readonly { name: string; kind: string }[];
}

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

function shownServer(name: string, { transport, instances, limits }: JsonObject): ShownServer {
  return {
    name,
    transport: transportField.safeParse(transport).data ?? null,
    instances: Object.keys(asObject(asObject(instances).list)),
    limits: serverQuotaField.safeParse(limits).data ?? {},
  };
}
