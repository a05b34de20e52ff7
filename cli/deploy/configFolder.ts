// The configuration of a deployment.

import { resolve } from 'node:path';
import { projectFile } from '../../shared/projectFiles.ts';
import type { Target } from './target.ts';

/** The configuration of a trial: no secrets, tools of Google, limits of costs. */
const TRIAL = projectFile('deploy/trial');

/** The folder of a target: `--config`, else INQUEST_CONFIG, else deploy/trial (no local server). */
export function resolveDeployedConfig({ config = TRIAL }: Pick<Target, 'config'>): string {
  return resolve(config);
}
