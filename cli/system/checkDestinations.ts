// Checks destinations' settings: missing scopes, channels, memberships before the first message.

import { ConfigError } from '../../shared/config/configError.ts';
import { loadDestinations } from '../../shared/config/destinations.ts';
import { readOneFile } from '../../shared/config/readFolder.ts';
import { type Fault, faultAt } from '../../shared/config/yamlFile.ts';
import { createDestinations } from '../../shared/destinations/createDestinations.ts';
import { destinationServices } from '../../shared/wiring/destinationServices.ts';

/**
 * The problems of destinations.yaml in `folder`: variables that are not set here, and answers of the
 * destinations. Sends no message. Kinds that cannot be asked are not checked.
 */
export async function destinationFaults(folder: string, env: NodeJS.ProcessEnv): Promise<Fault[]> {
  const yaml = readOneFile(folder, 'destinations', []);
  let configs: ReturnType<typeof loadDestinations>;
  try {
    configs = loadDestinations(folder, env);
  } catch (error) {
    if (error instanceof ConfigError) return [...error.faults];
    throw error;
  }
  const names = Object.keys(configs);
  if (names.length === 0) return [];
  const find = createDestinations(configs, destinationServices(env));
  const problems = names.map(async (name) => {
    const found = (await (await find(name))?.destination.check?.()) ?? [];
    return found.map(({ code, message }) => faultAt(yaml, ['destinations', name], `${code}: ${message}`));
  });
  return (await Promise.all(problems)).flat();
}
