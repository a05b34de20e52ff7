// The environment variables that a configuration needs.

/**
 * What a variable is used for, so that only the services that use it get it. `gemini`: models of Google, and
 * the embeddings of searches. `background`: their answers that no function waits for. `providers`: models of
 * other providers. `tools`: the servers of servers.yaml. `webhooks`: the secrets of webhooks.yaml.
 * `destinations`: those of destinations.yaml, which only `deliver` gets, except `proofs`: secrets that only
 * prove requests of a destination's service. `telemetry`: the headers of telemetry.yaml. `signing` and
 * `verifying`: the keys of decisions of people. `apiKeys`: the secrets of API keys.
 */
export type VariableUse =
  | 'gemini'
  | 'background'
  | 'providers'
  | 'tools'
  | 'webhooks'
  | 'destinations'
  | 'proofs'
  | 'telemetry'
  | 'signing'
  | 'verifying'
  | 'apiKeys';

/** Start of the variables whose secrets are logins of servers. Services read only the secrets. */
const LOGIN_PREFIX = 'INQUEST_LOGIN_';

/** The variable of the login of a server with `auth: oauth`: `INQUEST_LOGIN_DATADOG_EU` for `datadog-eu`. */
export function loginVariable(server: string): string {
  return `${LOGIN_PREFIX}${server.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

/** An environment variable that a configuration needs. */
export interface ConfigVariable {
  /** Its name: `GRAFANA_WEBHOOK_SECRET`. */
  name: string;
  /** Its use. */
  use: VariableUse;
  /** Whether its value is a secret. */
  isSecret: boolean;
  /** Whether the configuration works without it. */
  isOptional: boolean;
}
