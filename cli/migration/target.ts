// Which database a migration rewrites, and whether it may.

import { projectIdOf } from '../../shared/environment.ts';
import { emulatorOf } from '../../shared/store/emulator.ts';
import { checkDatabaseIsNamed } from '../options/project.ts';
import { UsageError } from '../process/usageError.ts';

/**
 * The database the environment names, for people: `the real project shop-prod`.
 * @throws UsageError when it names none, or a real project that is to be rewritten without `yes`.
 */
export function migrationTarget(
  env: NodeJS.ProcessEnv,
  { yes, dryRun }: { yes: boolean; dryRun: boolean },
): string {
  checkDatabaseIsNamed(env);
  const emulator = emulatorOf('firestore', env);
  const projectId = projectIdOf(env);
  if (emulator) return `project ${projectId}, emulator ${emulator}`;
  if (!yes && !dryRun) {
    throw new UsageError(
      `this would rewrite documents of the real project ${projectId}: --yes does it, --dry-run only looks`,
    );
  }
  return `the real project ${projectId}`;
}
