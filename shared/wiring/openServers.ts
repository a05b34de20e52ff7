// Opens a configuration's MCP servers for a command without iterations, with their maskers.

import { randomUUID } from 'node:crypto';
import { loadConfig } from '../config/load.ts';
import type { GuardFor } from '../core/contract/guard.ts';
import type { ToolSource } from '../core/contract/tools.ts';
import { createGuards } from '../masking/guards.ts';
import { knownSecrets } from '../masking/knownSecrets.ts';
import { createLearnedSecrets } from '../masking/learnedSecrets.ts';
import { workFile } from '../projectFiles.ts';
import { createMemoryStore } from '../store/memory/memoryStore.ts';
import { createFileVault } from '../tools/mcp/auth/fileVault.ts';
import { createRefreshLeases } from '../tools/mcp/auth/refreshLeases.ts';
import { createServerTokens } from '../tools/mcp/auth/serverTokens.ts';
import { keepConnections } from '../tools/mcp/connectionCache.ts';
import { connectWith } from '../tools/mcp/mcpConnection.ts';
import { mcpSources } from '../tools/mcp/mcpSource.ts';
import { EXTENSION_NAMES } from './extensions.ts';
import { LOGIN_FOLDER } from './openLogins.ts';

interface OpenServers {
  sources: readonly ToolSource[];
  maskerFor: GuardFor;
  /** Ends connections and processes. Never throws. */
  close(): Promise<void>;
}

/** Opens a folder's servers with this machine's logins. @throws ConfigError with a line per fault. */
export function openServers(folder: string, env: NodeJS.ProcessEnv): OpenServers {
  const { servers, masking } = loadConfig(folder, env, EXTENSION_NAMES);
  const learned = createLearnedSecrets();
  const secrets = knownSecrets(env, servers);
  const leases = createRefreshLeases(createMemoryStore(), Date.now, randomUUID);
  const tokens = createServerTokens({
    learned,
    logins: { vault: createFileVault(workFile(LOGIN_FOLDER)), leases },
  });
  const kept = keepConnections({ now: Date.now, connect: connectWith(tokens, secrets) });
  process.once('exit', () => kept.kill());
  return {
    sources: mcpSources(servers, kept.connect, secrets),
    maskerFor: createGuards({ known: secrets, learned, rules: masking }),
    close: () => kept.close(),
  };
}
