// The kinds of destinations that this installation can send to: one line each. Each loads its packages when it is first used.

import type { ConfiguredDestination, CreateDestination, FindDestination } from '../contract/destination.ts';
import type {
  DestinationConfig,
  DestinationKind,
  DestinationSettings,
} from '../contract/destinationSettings.ts';

/** The kinds, in the order of the documentation. */
const KINDS: { [K in DestinationKind]?: () => Promise<CreateDestination<DestinationSettings[K]>> } = {
  slack: async () => (await import('./slack.ts')).createSlack,
};

/**
 * Makes the destinations of a configuration, each when it is first asked for.
 * @param configs the entries of destinations.yaml by name.
 */
export function createDestinations(configs: Readonly<Record<string, DestinationConfig>>): FindDestination {
  const made = new Map<string, Promise<ConfiguredDestination>>();
  return async (name) => {
    const config = Object.hasOwn(configs, name) ? configs[name] : undefined;
    if (config === undefined) return undefined;
    const known = made.get(name) ?? createOne(config, name);
    made.set(name, known);
    return await known;
  };
}

async function createOne(config: DestinationConfig, name: string): Promise<ConfiguredDestination> {
  const { kind, settings, tenants, onDoubt } = config;
  const load = KINDS[kind] as (() => Promise<CreateDestination<typeof settings>>) | undefined;
  if (load === undefined) throw new Error(`destinations of kind ${kind} are not in this build`);
  const create = await load();
  return { destination: await create(settings, name), tenants, onDoubt };
}
