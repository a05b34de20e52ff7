// Finds servers that a deployed service cannot reach: at a local address, or without a connection.

import { asObject } from '../text/json.ts';
import { readOneFile } from './readFolder.ts';
import { expandVariables, referencedVariables } from './variables.ts';
import { type Fault, faultAt } from './yamlFile.ts';

/** The `transport` of a server that only exists as answers of recorded cases. */
const RECORDED = 'recorded';
/** Why a running system refuses such a server. */
export const NO_CONNECTION =
  'has no connection: only the recorded answers of `evaluate` and `replay` serve it; write stdio or http, and where the server is';
const LOOPBACK = /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\])$/i;

/**
 * A fault for each server with `transport: recorded`, or whose `url`, with the variables of `env`, is a
 * loopback address.
 * @param folder of a configuration that `loadSessionConfig` has accepted.
 */
export function unreachableFaults(folder: string, env: NodeJS.ProcessEnv): Fault[] {
  const file = readOneFile(folder, 'servers', []);
  const { servers } = asObject(file.value);
  return Object.entries(asObject(servers)).flatMap(([name, server]) => [
    ...faultsOf([name], server),
    ...Object.entries(asObject(asObject(asObject(server).instances).list)).flatMap(([instance, one]) =>
      faultsOf([name, 'instances', 'list', instance], one),
    ),
  ]);

  function faultsOf(place: string[], server: unknown): Fault[] {
    const { url, transport } = asObject(server);
    if (file !== undefined && transport === RECORDED)
      return [faultAt(file, ['servers', ...place, 'transport'], NO_CONNECTION)];
    if (file === undefined || typeof url !== 'string' || !isLoopback(url, env)) return [];
    const [variable] = referencedVariables(url);
    const remedy =
      variable === undefined
        ? "write the server's address"
        : `set ${variable.name} to the server's address, here and for the deployment`;
    const message = `is an address of this machine, which a deployed service cannot reach; ${remedy}, or remove the server. With \`build --local\`, it is kept for services on this machine`;
    return [faultAt(file, ['servers', ...place, 'url'], message)];
  }
}

/** The names of the servers with `transport: recorded`, in the order of the file. */
export function recordedServers(folder: string): string[] {
  const servers = Object.entries(asObject(asObject(readOneFile(folder, 'servers', []).value).servers));
  return servers.flatMap(([name, server]) => (asObject(server).transport === RECORDED ? [name] : []));
}

/** A variable without a value can be any address. */
function isLoopback(url: string, env: NodeJS.ProcessEnv): boolean {
  const expansion = expandVariables(url, env);
  return expansion.ok && LOOPBACK.test(URL.parse(expansion.text)?.hostname ?? '');
}
