// The command `local-cloud`: serves Firestore and Pub/Sub until a signal ends it.

import { parseArgs } from 'node:util';
import { errorMessage } from './protocol/status.ts';
import { serveCloud } from './serveCloud.ts';

const HELP = `Usage: local-cloud [options]

Serves Firestore and Pub/Sub on 127.0.0.1, over gRPC for Google's clients and over REST.

Options:
  --port <number>   the port of Firestore; Pub/Sub has the next one (default: 8080; 0: free ones)
  --data <file>     stores documents and messages in a file (default: in memory)
  --fresh           erases the file first
  --indexes <file>  a firestore.indexes.json; queries that need other indexes are refused
                    (default: every query is answered)
  --limits[=<rate>] the limits of production: commits above <rate> writes of a document per second
                    (default: 1), above 500 operations per second of a new collection, or 500
                    writes per second of an index that grows are late, then ABORTED;
                    GET /limits on the port of Firestore lists exceeded limits
  -h, --help        prints this help

Exit codes: 0 ended by a signal; 1 a failure; 2 wrong usage.
`;
const OPTIONS = {
  port: { type: 'string' },
  data: { type: 'string' },
  fresh: { type: 'boolean' },
  indexes: { type: 'string' },
  limits: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;
const DEFAULT_PORT = '8080';
const DEFAULT_RATE = '1';

/** The command was called in a wrong way. */
class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(
    `local-cloud: ${describeFailure(error)}${isUsage ? '\nlocal-cloud --help lists the options' : ''}`,
  );
  process.exit(isUsage ? 2 : 1);
}

async function run(args: string[]): Promise<void> {
  const { port = DEFAULT_PORT, data, fresh, indexes, limits, help } = parse(args);
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  if (fresh && data === undefined) throw new UsageError('--fresh needs --data');
  const { firestore, pubsub } = await serveCloud({
    ports: readPorts(port),
    file: data,
    fresh,
    indexes,
    limits: limits === undefined ? false : readRate(limits),
  });
  const place = data === undefined ? 'in memory' : `in ${data}`;
  process.stdout.write(`Firestore is at ${firestore}, Pub/Sub at ${pubsub}, ${place}. Ctrl-C ends both.

export FIRESTORE_EMULATOR_HOST=${firestore}
export PUBSUB_EMULATOR_HOST=${pubsub}
export GOOGLE_CLOUD_PROJECT=demo-local
`);
}

function parse(args: string[]) {
  try {
    // `parseArgs` has no options whose value can be absent.
    const complete = args.map((arg) => (arg === '--limits' ? `--limits=${DEFAULT_RATE}` : arg));
    return parseArgs({ args: complete, options: OPTIONS }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readPorts(text: string): { firestore: number; pubsub: number } {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_534)
    throw new UsageError(`--port ${text}: must be a number from 0 to 65534`);
  return { firestore: port, pubsub: port === 0 ? 0 : port + 1 };
}

function readRate(text: string): number {
  if (!/^\d{1,6}(?:\.\d{1,3})?$/.test(text) || Number(text) === 0)
    throw new UsageError(`--limits=${text}: must be a number above 0`);
  return Number(text);
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return errorMessage(error);
  const port = 'port' in error ? `port ${error.port}` : 'the port';
  return `${port} is in use: choose another one with --port, or let --port 0 choose them`;
}
