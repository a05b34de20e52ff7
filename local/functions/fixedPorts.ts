// Consecutive ports for a system whose addresses stay the same between starts.

import { API_NAME, FUNCTION_NAMES, type FunctionName } from '../../functions/manifest.ts';
import { isFree } from '../processes/ports.ts';

/** The parts of a running system that listen. */
export type SystemPart = 'firestore' | 'pubsub' | FunctionName | 'model' | typeof API_NAME;

/** The parts, in the order of their ports. */
export const PARTS: readonly SystemPart[] = [API_NAME, 'firestore', 'pubsub', ...FUNCTION_NAMES, 'model'];
/** Lower ports need root privileges. */
const MIN_PORT = 1_024;
/** Leaves a port for each part. */
const MAX_FIRST_PORT = 65_536 - PARTS.length;

/**
 * Parses the option `--port`.
 * @throws RangeError when it is no number in the range.
 */
export function parseFirstPort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port >= MIN_PORT && port <= MAX_FIRST_PORT) return port;
  throw new RangeError(
    `must be a number from ${MIN_PORT} to ${MAX_FIRST_PORT}: ${PARTS.length} ports from it on are used`,
  );
}

/**
 * A port of 127.0.0.1 for each part, from `first` on in the order API with its page, Firestore, Pub/Sub, functions, model.
 * @param unused parts that are not started; their ports can be taken.
 * @throws Error that names each taken port.
 */
export async function fixedPorts(
  first: number,
  unused: readonly SystemPart[] = [],
): Promise<Record<SystemPart, number>> {
  const ports = PARTS.map((part, index) => [part, first + index] as const);
  const used = ports.filter(([part]) => !unused.includes(part));
  const free = await Promise.all(used.map(([, port]) => isFree(port)));
  const taken = used.filter((_, index) => !free[index]).map(([part, port]) => `${port} (${part})`);
  if (taken.length > 0) {
    const are = taken.length === 1 ? `port ${taken[0]} is` : `ports ${taken.join(', ')} are`;
    throw new Error(
      `${are} taken: stop the program that listens there, or choose another first port with --port`,
    );
  }
  return Object.fromEntries(ports) as Record<SystemPart, number>;
}
