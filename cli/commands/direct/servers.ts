// `servers login`: logs in to an MCP server in a browser, and stores its refresh token.

import type { Command } from 'commander';
import { loadConfig } from '../../../shared/config/load.ts';
import type { HttpServerConfig } from '../../../shared/contract/mcpServer.ts';
import type { TokenVault } from '../../../shared/contract/tokenVault.ts';
import { readConfigFolder } from '../../../shared/environment.ts';
import { workFile } from '../../../shared/projectFiles.ts';
import { createFileVault } from '../../../shared/tools/mcp/auth/fileVault.ts';
import { logIn } from '../../../shared/tools/mcp/auth/logIn.ts';
import { createSecretVault } from '../../../shared/tools/mcp/auth/secretVault.ts';
import { EXTENSION_NAMES } from '../../../shared/wiring/extensions.ts';
import { LOGIN_FOLDER } from '../../../shared/wiring/openLogins.ts';
import { DEFAULT_NAME } from '../../deploy/target.ts';
import { interruptSignal } from '../../process/interrupt.ts';
import { report, write } from '../../process/output.ts';
import { UsageError } from '../../process/usageError.ts';

/** Authorization codes are valid for some minutes. */
const LOGIN_MS = 10 * 60_000;

const HELP = `
The server needs \`auth: oauth\` with \`oauth.grant: login\` in servers.yaml. Open the printed address in a browser on this
machine. The refresh token is stored in ${LOGIN_FOLDER}/ for \`inquest start\`; with --project it becomes a version of a secret
that \`inquest deploy\` created. Running functions use it for their next token.`;

interface LoginOptions {
  config?: string;
  project?: string;
  name: string;
}

/** Adds the command to the program. */
export function registerServers(program: Command): void {
  const servers = program.command('servers').addHelpText('after', HELP);
  servers
    .command('login')
    .description('log in to a server in a browser, so that agents can use its tools')
    .argument('<server>', 'its name in servers.yaml')
    .option('--config <folder>', 'the configuration (default: INQUEST_CONFIG, else config)')
    .option('--project <id>', 'store the login for the installation in this Google Cloud project')
    .option('--name <name>', 'the name of the installation', DEFAULT_NAME)
    .addHelpText('after', HELP)
    .action(logInToServer);
}

async function logInToServer(server: string, options: LoginOptions): Promise<void> {
  const config = serverWithLogin(server, options.config ?? readConfigFolder(process.env));
  const { vault, place } = chooseVault(options);
  const late = AbortSignal.timeout(LOGIN_MS);
  const login = await logIn(config, {
    onAddress: (address) => {
      report('Open this address in a browser on this machine:');
      write(address.href);
    },
    signal: AbortSignal.any([interruptSignal(), late]),
    now: Date.now,
  });
  const before = await vault.read(server);
  await vault.write(server, login, before?.version);
  report(`logged in to ${server}; the login is stored in ${place}`);
}

function serverWithLogin(server: string, folder: string): HttpServerConfig {
  const { servers } = loadConfig(folder, process.env, EXTENSION_NAMES);
  const config = Object.hasOwn(servers, server) ? servers[server] : undefined;
  if (config === undefined)
    throw new UsageError(
      `servers.yaml of ${folder} has no server "${server}": ${Object.keys(servers).join(', ')}`,
    );
  if (config.transport === 'http' && config.oauth?.grant === 'login') return config;
  throw new UsageError(`the server "${server}" needs no login: it has no oauth.grant: login`);
}

function chooseVault({ project, name }: LoginOptions): { vault: TokenVault; place: string } {
  if (project === undefined) return { vault: createFileVault(workFile(LOGIN_FOLDER)), place: LOGIN_FOLDER };
  const vault = createSecretVault({ project, installation: name });
  return { vault, place: `Secret Manager of ${project}` };
}
