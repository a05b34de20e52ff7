// Where logins of servers are stored: locally in files of `.inquest/`, else in Secret Manager.

import type { RefreshLeases, TokenVault } from '../contract/tokenVault.ts';
import type { StateDeps } from '../core/kernel/deps.ts';
import { readInstallationName, readProjectId } from '../environment.ts';
import { workFile } from '../projectFiles.ts';
import { EMULATOR_VARIABLES } from '../store/emulator.ts';
import { createFileVault } from '../tools/mcp/auth/fileVault.ts';
import { createRefreshLeases } from '../tools/mcp/auth/refreshLeases.ts';
import { createSecretVault } from '../tools/mcp/auth/secretVault.ts';

/** The folder of the logins on one machine. */
export const LOGIN_FOLDER = '.inquest/logins';

/** The storage of logins that `env` selects, beside an emulator a folder. */
function openVault(env: NodeJS.ProcessEnv): TokenVault {
  const isLocal = Boolean(env[EMULATOR_VARIABLES.firestore]);
  if (isLocal) return createFileVault(workFile(LOGIN_FOLDER));
  return createSecretVault({ project: readProjectId(env), installation: readInstallationName(env) });
}

/** The storage of logins, with the leases of this installation. @param newId a new id for each lease. */
export function openLogins(
  env: NodeJS.ProcessEnv,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
  newId: () => string,
): { vault: TokenVault; leases: RefreshLeases } {
  const now = () => clock.now().getTime();
  return { vault: openVault(env), leases: createRefreshLeases(store, now, newId) };
}
