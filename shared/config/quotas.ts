// The limits of models and servers that all instances share, from models.yaml and servers.yaml.

import type { McpServerConfig } from '../contract/mcpServer.ts';
import type { ModelQuota, QuotaLimits } from '../contract/quotas.ts';
import type { Files } from './files.ts';
import { type Fault, faultAt, type YamlFile } from './yamlFile.ts';

type Models = Pick<Files, 'models'>;

const quotaModelName = ({ provider, model }: { provider: string; model: string }): string =>
  `${provider}/${model}`;

/** The limits of models and servers. Entries of one model must have been checked. */
export function quotaLimits(
  { models }: Models,
  servers: Readonly<Record<string, McpServerConfig>>,
): QuotaLimits {
  const limited = Object.values(models.models).flatMap((entry): [string, ModelQuota][] =>
    entry.limits === undefined ? [] : [[quotaModelName(entry), entry.limits]],
  );
  return {
    models: Object.fromEntries(limited),
    servers: Object.fromEntries(
      Object.entries(servers).flatMap(([name, { limits }]) => (limits === undefined ? [] : [[name, limits]])),
    ),
  };
}

/** Entries of models.yaml for the same model with different limits: they share one quota at the provider. */
export function quotaFaults({ models }: Models, yaml: YamlFile): Fault[] {
  const first = new Map<string, { name: string; limits: ModelQuota }>();
  const faults: Fault[] = [];
  for (const [name, entry] of Object.entries(models.models)) {
    const { limits } = entry;
    if (limits === undefined) continue;
    const label = quotaModelName(entry);
    const known = first.get(label);
    if (known === undefined) first.set(label, { name, limits });
    else if (known.limits.rpm !== limits.rpm || known.limits.tpm !== limits.tpm) {
      const message = `differs from the limits of "${known.name}", which has the same model; write the same limits, or remove one`;
      faults.push(faultAt(yaml, ['models', name, 'limits'], message));
    }
  }
  return faults;
}
