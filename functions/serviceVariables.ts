// The environment variables of each service: its own settings, and those of the configuration that it uses.

import type { ConfigVariable } from '../shared/contract/configVariable.ts';
import { OFF_VARIABLE } from '../shared/contract/switches.ts';
import { KEY_SECRETS, SIGNING_KEY, VERIFYING_KEYS } from '../shared/core/contract/signatures.ts';
import { EMULATOR_SETTINGS, MODEL_KEYS, SERVICES, type ServiceName } from './manifest.ts';

/**
 * The keys of every installation, which `deploy` creates. Without them everything works but decisions of
 * people and keys of programs. The public keys are no secret, and stored like one: so they change together
 * with the private key.
 */
const OWN_KEYS: readonly ConfigVariable[] = [
  { name: SIGNING_KEY, use: 'signing', isSecret: true, isOptional: true },
  { name: VERIFYING_KEYS, use: 'verifying', isSecret: true, isOptional: true },
  { name: KEY_SECRETS, use: 'apiKeys', isSecret: true, isOptional: true },
];

/** The names of the environment variables of a service, sorted. */
export interface ServiceVariables {
  /** Variables whose values are no secrets. */
  settings: string[];
  /** Secrets that the service does not work without. */
  secrets: string[];
  /** Secrets that the service works without, such as the key of Gemini on Vertex AI. */
  optionalSecrets: string[];
}

/**
 * The variables that `name` is deployed with. No other service gets its secrets.
 * @param variables those of the configuration (`configVariables`).
 */
export function serviceVariables(name: ServiceName, variables: readonly ConfigVariable[]): ServiceVariables {
  const { settings, uses } = SERVICES[name];
  const used = [...OWN_KEYS, ...variables].filter(({ use }) => uses.some((one) => one === use));
  const namesOf = (wanted: (variable: ConfigVariable) => boolean) =>
    used.filter(wanted).map((variable) => variable.name);
  const own = settings.filter(
    (one) => !EMULATOR_SETTINGS.includes(one) && !MODEL_KEYS.includes(one) && one !== OFF_VARIABLE,
  );
  const secrets = namesOf(({ isSecret, isOptional }) => isSecret && !isOptional);
  return {
    settings: sorted([...own, ...namesOf(({ isSecret }) => !isSecret)]),
    secrets: sorted(secrets),
    optionalSecrets: sorted(
      namesOf(({ isSecret, isOptional }) => isSecret && isOptional).filter((one) => !secrets.includes(one)),
    ),
  };
}

const sorted = (names: readonly string[]): string[] => [...new Set(names)].sort();
