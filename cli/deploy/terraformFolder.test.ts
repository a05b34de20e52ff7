// What `deploy` stages, evaluated by the real Terraform if it is on the PATH. The resources need providers,
// which an offline machine cannot download, so that only the variables and settings/ are evaluated here.

import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { openDatabaseFile } from '../../packages/local-cloud/src/database/databaseFile.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { resolveTarget } from './target.ts';
import { stageFolder } from './terraformFolder.ts';
import { ownVariables, readSettings } from './variables.ts';

const TRIAL = projectFile('deploy/trial');
const TERRAFORM = 'terraform';
const hasTerraform = spawnSync(TERRAFORM, ['version']).status === 0;

// Node's recursive mkdir never returns below /proc.
it.skipIf(process.platform !== 'linux')('a folder that cannot be created is refused', async () => {
  const target = resolveTarget({ project: 'shop-prod', region: 'europe-west1', name: 'inquest' });
  const staging = {
    variables: {},
    manifest: deploymentManifest('1.2.3', TRIAL),
    archive: { file: '', name: '' },
    withBackend: false,
  };
  await expect(stageFolder({ ...target, folder: '/proc/x' }, staging)).rejects.toThrow('ENOENT');
  expect(() => openDatabaseFile('/proc/x/data.db')).toThrow(/cannot be opened \(ENOENT.*--data/);
});

it.skipIf(!hasTerraform)(
  'Terraform accepts the staged variables (skipped where terraform is not on the PATH)',
  async () => {
    const target = {
      ...resolveTarget({ project: 'shop-prod', region: 'europe-west1', name: 'inquest' }),
      folder: folder(),
    };
    const trial = deploymentManifest('1.2.3', TRIAL);
    const archive = join(folder(), 'archive');
    writeFileSync(archive, 'archive');
    const name = `${'0'.repeat(64)}.tar.gz`;
    const own = ownVariables(target, {
      projectNumber: '415104041262',
      tier: 'trial',
      archive: name,
      isDatabaseNew: true,
      secretVersions: { PAGER_TOKEN: '2' },
    });
    await stageFolder(target, {
      variables: { ...readSettings(TRIAL, target), ...own },
      manifest: {
        ...trial,
        services: trial.services.map((service) => ({ ...service, secrets: ['PAGER_TOKEN'] })),
      },
      archive: { file: archive, name },
      withBackend: false,
    });
    for (const file of readdirSync(target.folder))
      if (file.endsWith('.tf') && !['main.tf', 'variables.tf'].includes(file))
        rmSync(join(target.folder, file));
    const [json, hcl] = [target.folder, folder()];
    cpSync(json, hcl, { recursive: true });
    rmSync(join(hcl, 'terraform.tfvars.json'));
    for (const [at, file] of [
      [json, []],
      [hcl, ['-var-file=inputs.tfvars']],
    ] as const) {
      const run = (...args: string[]) => {
        const env = { ...process.env, TF_CLI_CONFIG_FILE: undefined };
        return spawnSync(TERRAFORM, [`-chdir=${at}`, ...args, '-input=false', '-no-color'], {
          encoding: 'utf8',
          env,
        });
      };
      expect(run('init')).toMatchObject({ status: 0, stderr: '' });
      const { status, stdout, stderr } = run('plan', '-lock=false', ...file);
      expect({ status, stderr, undeclared: /undeclared/.test(stdout) }).toEqual({
        status: 0,
        stderr: '',
        undeclared: false,
      });
    }
  },
);

function folder(): string {
  const made = temporaryFolder();
  return made;
}
