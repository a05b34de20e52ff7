// The kinds of destinations, one line each. Each loads its packages when it is first used.

import type { ConfiguredDestination, CreateDestination, FindDestination } from '../contract/destination.ts';
import type {
  DestinationConfig,
  DestinationKind,
  DestinationSettings,
} from '../contract/destinationSettings.ts';
import { createHttp } from './http.ts';
import type { DestinationServices } from './services.ts';

type LoadKind<S> = (services: DestinationServices) => Promise<CreateDestination<S>>;

/** The kinds, in the order of the documentation. */
const KINDS: { [K in DestinationKind]: LoadKind<DestinationSettings[K]> } = {
  slack: async () => (await import('./slack.ts')).createSlack,
  googleChat: async (services) => (await import('./googleChat.ts')).createGoogleChat(services),
  teams: async (services) => (await import('./teams.ts')).createTeams(services),
  webhook: async (services) => (await import('./webhook.ts')).createWebhook(services),
  pubsub: async (services) => (await import('./pubsub.ts')).createPubsub(services),
  pagerduty: async (services) => (await import('./pagerduty.ts')).createPagerduty(services),
  github: async (services) => (await import('./github.ts')).createGithub(services),
  email: async (services) => (await import('./email.ts')).createEmail(services),
};

/** Services of a process without Google identity: messages to Google fail with this error. */
const WITHOUT_GOOGLE: DestinationServices = {
  http: createHttp(),
  googleToken: () => Promise.reject(new Error('this process has no Google identity')),
  installation: () => ({ project: 'none', name: 'inquest' }),
  publishEvent: () => Promise.reject(new Error('this process publishes nothing')),
};

/**
 * Makes the destinations of a configuration, each when it is first asked for.
 * @param configs the entries of destinations.yaml by name.
 * @param services default: without those of Google.
 */
export function createDestinations(
  configs: Readonly<Record<string, DestinationConfig>>,
  services: DestinationServices = WITHOUT_GOOGLE,
): FindDestination {
  const made = new Map<string, Promise<ConfiguredDestination>>();
  return async (name) => {
    const config = Object.hasOwn(configs, name) ? configs[name] : undefined;
    if (config === undefined) return undefined;
    const known = made.get(name) ?? createOne(config, name, services);
    made.set(name, known);
    return await known;
  };
}

async function createOne(
  config: DestinationConfig,
  name: string,
  services: DestinationServices,
): Promise<ConfiguredDestination> {
  const { kind, settings, tenants, onDoubt, fields, asks } = config;
  const load = KINDS[kind] as LoadKind<typeof settings>;
  const create = await load(services);
  return { destination: await create(settings, name), tenants, onDoubt, fields, asks };
}
