// Which database a migration rewrites, and whether it may.

import { projectIdOf } from '../../shared/environment.ts';

export interface MigrationTarget {
  projectId: string;
  /** The database, for people. */
  where: string;
}

/**
 * The database the environment names.
 * @throws Error when it names none, or a real project that is to be rewritten without `yes`.
 */
export function migrationTarget(
  env: NodeJS.ProcessEnv,
  { yes, dryRun }: { yes: boolean; dryRun: boolean },
): MigrationTarget {
  const emulator = env.FIRESTORE_EMULATOR_HOST;
  if (!emulator && !env.GOOGLE_CLOUD_PROJECT) {
    throw new Error(
      'nothing says what to migrate: set the variables that `npm start` printed, or GOOGLE_CLOUD_PROJECT for a real project',
    );
  }
  const projectId = projectIdOf(env);
  if (emulator) return { projectId, where: `project ${projectId}, emulator ${emulator}` };
  if (!yes && !dryRun) {
    throw new Error(
      `this would rewrite documents of the real project ${projectId}: --yes does it, --dry-run only looks`,
    );
  }
  return { projectId, where: `the real project ${projectId}` };
}
