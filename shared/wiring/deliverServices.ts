// Wires the services of `deliver`: stored state, and the destinations with their secrets.

import { randomUUID } from 'node:crypto';
import { findMember } from '../config/access.ts';
import { configVariables } from '../config/configVariables.ts';
import { loadDestinations } from '../config/destinations.ts';
import { loadAccess } from '../config/load.ts';
import { DEFAULT_TENANT } from '../core/schema/session.ts';
import { createDestinations } from '../destinations/createDestinations.ts';
import { readConfigFolder, readOff, readPublicUrl } from '../environment.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { lineMasker } from '../masking/lineMasker.ts';
import { createMaskers } from '../masking/maskers.ts';
import { destinationServices } from './destinationServices.ts';
import { localHostname } from './localHostname.ts';
import { openSigner, openVerifier } from './openKeys.ts';
import { createStateServices } from './stateServices.ts';

/**
 * The services of `deliver`. Call it once per process, when the module loads: a wrong destinations.yaml stops
 * the start.
 * @throws ConfigError with one line per fault; TerminalError `CONFIG_INVALID` for a wrong PUBLIC_URL.
 */
export function createDeliverServices(env: NodeJS.ProcessEnv) {
  const folder = readConfigFolder(env);
  const destinations = loadDestinations(folder, env);
  const secrets = configVariables(folder).flatMap(({ name, use, isSecret }) =>
    use === 'destinations' && isSecret ? [name] : [],
  );
  const maskerFor = createMaskers({ known: knownSecrets(env, {}, secrets) });
  const access = loadAccess(folder, env.INQUEST_FIRST_MEMBER);
  const isLocal = localHostname(env) !== undefined;
  const { failpoint: _, ...state } = createStateServices(env, lineMasker(maskerFor));
  return {
    ...state,
    maskerFor,
    sign: openSigner(env),
    verify: openVerifier(env),
    // As in the API of one machine, which has no login.
    memberOf: (person: { email: string; domain: string }) =>
      isLocal ? { role: 'admin' as const, tenantId: DEFAULT_TENANT } : findMember(access, person),
    destinations: createDestinations(destinations, destinationServices(env)),
    publicUrl: readPublicUrl(env),
    newId: randomUUID,
    off: readOff(env),
  };
}
