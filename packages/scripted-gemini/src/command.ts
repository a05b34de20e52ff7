// The command `scripted-gemini`: serves a script until a signal ends it.

import { parseArgs } from 'node:util';
import { startScriptedGemini } from './server.ts';

const HELP = `Usage: scripted-gemini [options] <script>

Serves the protocol of the Gemini API on 127.0.0.1. A script, in YAML or JSON, has the answers.

Options:
  --port <number>  the port (default: 8090; 0: a free one)
  -h, --help       prints this help

Exit codes: 0 ended by a signal; 1 a failure; 2 wrong usage.
`;
const DEFAULT_PORT = '8090';

/** The command was called in a wrong way. */
class UsageError extends Error {}

try {
  await run(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  console.error(
    `scripted-gemini: ${describeFailure(error)}${isUsage ? '\nscripted-gemini --help lists the options' : ''}`,
  );
  process.exit(isUsage ? 2 : 1);
}

async function run(args: string[]): Promise<void> {
  const { script, port, help } = readArguments(args);
  if (help) {
    process.stdout.write(HELP);
    return;
  }
  const gemini = await startScriptedGemini({ script, port });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.once(signal, () => void gemini.stop().then(() => process.exit()));
  process.stdout.write(`The answers of ${script} are at ${gemini.url}. Ctrl-C ends the server.

export GOOGLE_GEMINI_BASE_URL=${gemini.url}
export GEMINI_API_KEY=any-key
`);
}

function readArguments(args: string[]): { script: string; port: number; help: boolean } {
  const { values, positionals } = parse(args);
  const [script = '', ...others] = positionals;
  const { help = false, port = DEFAULT_PORT } = values;
  if (!help && (script === '' || others.length > 0)) throw new UsageError('name the file of one script');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new UsageError(`--port ${port}: must be a number from 0 to 65535`);
  return { script, port: Number(port), help };
}

function parse(args: string[]) {
  try {
    const options = { port: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE')
    return 'the port is in use: choose another one with --port, or let --port 0 choose one';
  return error.message;
}
