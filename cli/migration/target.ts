// The database that a migration rewrites. A real project needs confirmation.

import { readDatabaseName, readProjectId } from '../../shared/environment.ts';
import { readEmulatorAddress } from '../../shared/store/emulator.ts';
import { checkDatabaseIsNamed } from '../options/project.ts';
import { UsageError } from '../process/usageError.ts';

/**
 * The database that the environment names, for people: `the real project shop-prod`.
 * @throws UsageError when it names none, or a real project without `yes` or `dryRun`.
 */
export function migrationTarget(
  env: NodeJS.ProcessEnv,
  { yes, dryRun }: { yes: boolean; dryRun: boolean },
): string {
  checkDatabaseIsNamed(env);
  const emulator = readEmulatorAddress('firestore', env);
  const databaseId = readDatabaseName(env);
  const project = `${readProjectId(env)}${databaseId === undefined ? '' : `, database ${databaseId}`}`;
  if (emulator) return `project ${project}, emulator ${emulator}`;
  if (!yes && !dryRun) {
    throw new UsageError(
      `this would rewrite documents of the real project ${project}: confirm with --yes, or check with --dry-run`,
    );
  }
  return `the real project ${project}`;
}
