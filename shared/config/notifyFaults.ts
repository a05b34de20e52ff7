// Faults of `notify` that need several files: a rule whose destination shows none of the tenants that it can have.

import { DEFAULT_TENANT } from '../schema/session.ts';
import { asArray, asObject } from '../text/json.ts';
import type { Fault } from './configError.ts';
import type { Destinations } from './destinations.ts';
import type { ConfigFiles } from './readFolder.ts';
import { faultAt, type YamlFile } from './yamlFile.ts';

/**
 * The faults. Alerts of sources without a tenant belong to the default one; webhooks.yaml names the others. A destination that
 * shows none of these tenants would get nothing.
 */
export function notifyFaults(
  files: Pick<ConfigFiles, 'chains' | 'moreChains' | 'triage' | 'webhooks'>,
  destinations: Destinations,
): Fault[] {
  const sources = Object.values(asObject(files.webhooks.value)).map((source) => asObject(source).tenant);
  const tenants = new Set([DEFAULT_TENANT, ...sources.filter((one) => typeof one === 'string')]);
  const check = (file: YamlFile, path: PropertyKey[], notify: unknown): Fault[] =>
    asArray(notify).flatMap((entry, index) => {
      const { to } = asObject(entry);
      const destination = typeof to === 'string' ? destinations[to] : undefined;
      if (destination === undefined || destination.tenants.some((tenant) => tenants.has(tenant))) return [];
      const message = `shows only sessions of ${destination.tenants.join(', ')}, and no source has that tenant; add ${[...tenants].join(' or ')} to its tenants in destinations.yaml, or the tenant to a source in webhooks.yaml`;
      return [faultAt(file, [...path, 'notify', index, 'to'], message)];
    });
  return [
    ...[files.chains, ...files.moreChains].flatMap((file) =>
      Object.entries(asObject(asObject(file.value).chains)).flatMap(([name, chain]) =>
        check(file, ['chains', name], asObject(chain).notify),
      ),
    ),
    ...asArray(asObject(files.triage.value).rules).flatMap((rule, index) =>
      check(files.triage, ['rules', index], asObject(rule).notify),
    ),
  ];
}
