// Consecutive ports for a system whose addresses stay the same between starts.

import { API_NAME, FUNCTION_NAMES, type FunctionName } from '../../functions/manifest.ts';
import { holdPort, isFree } from '../processes/ports.ts';

type SystemPart = 'firestore' | 'pubsub' | FunctionName | 'model' | typeof API_NAME;

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

/** The ports of a system that is started with `--port`. */
export interface FixedPorts {
  ports: Partial<Record<SystemPart, number>>;
  /** Gives them up. The end of the process does so, too. */
  release(): void;
}

/**
 * Takes a port of 127.0.0.1 for each part, from `first` on in the order API with its page, Firestore,
 * Pub/Sub, functions, model.
 * @param unused parts that are not started; their ports can be taken.
 * @throws Error that names each taken port, or the other start that takes them.
 */
export async function takePorts(first: number, unused: readonly SystemPart[] = []): Promise<FixedPorts> {
  const ports = PARTS.map((part, index) => [part, first + index] as const);
  const used = ports.filter(([part]) => !unused.includes(part));
  // Before a look at them, which listens there for a moment: of two starts at once, only one looks.
  const claims = await Promise.all(used.map(([, port]) => holdPort(port)));
  const release = () => {
    for (const claim of claims) claim?.close();
  };
  const isOurs = !claims.includes(undefined);
  const free = isOurs ? await Promise.all(used.map(([, port]) => isFree(port))) : [];
  if (isOurs && !free.includes(false))
    return { ports: Object.fromEntries(ports) as Record<SystemPart, number>, release };
  release();
  const taken = used.filter((_, index) => free[index] === false).map(([part, port]) => `${port} (${part})`);
  const are = !isOurs
    ? `another \`inquest\` has ports from ${first} to ${first + PARTS.length - 1}`
    : `${taken.length === 1 ? 'port' : 'ports'} ${taken.join(', ')} ${taken.length === 1 ? 'is' : 'are'} taken`;
  throw new Error(`${are}: stop the program that listens there, or choose another first port with --port`);
}
