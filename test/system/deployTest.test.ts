// `deploy --test` on a local system with a trial's configuration and stand-ins.

import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { scriptedModel } from '../../local/model.ts';
import { startSystem } from '../../local/system.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { callCommand } from '../support/callCommand.ts';
import { temporaryFolder } from '../support/ownConfig.ts';
import { createGoogleStandIn } from '../worlds/google/standInGoogle.ts';

const TRIAL = projectFile('deploy/trial');
const SCRIPT = `conversations:
  - name: test
    when: You are shown a test alert
    turns:
      - text: The alert "Test of the deployment" arrived.
summary:
  text: The test alert arrived.
`;

it('deploys, sends the test alert of a trial and prints its analysis', async () => {
  const folder = temporaryFolder();
  const scriptFile = join(folder, 'model.yaml');
  writeFileSync(scriptFile, SCRIPT);
  const model = await scriptedModel({ scriptFile, why: 'a test' });
  onTestFinished(() => model.stop());
  const names = { INQUEST_NAME: 'inquest', FIRESTORE_DATABASE: 'inquest' };
  const system = await startSystem({
    projectId: 'demo-deploy',
    env: { ...process.env, ...model.env, ...names, INQUEST_CONFIG: TRIAL },
  });
  onTestFinished(() => system.stop());
  const manifest = deploymentManifest('1.2.3', TRIAL);
  // Terraform creates them.
  const variables = manifest.services.flatMap(({ optionalSecrets = [] }) => optionalSecrets);
  const secretId = (variable: string) => `inquest-${variable.toLowerCase().replaceAll('_', '-')}`;
  const secrets = new Map(variables.map((variable) => [secretId(variable), []]));
  await createGoogleStandIn({ project: 'demo-deploy', databases: new Set(['inquest']), secrets });

  const bin = join(folder, 'bin');
  const dist = join(folder, 'dist');
  for (const made of [bin, dist]) mkdirSync(made);
  symlinkSync(projectFile('test/worlds/google/standInTerraform.sh'), join(bin, 'terraform'));
  writeFileSync(join(dist, 'manifest.json'), JSON.stringify(manifest));
  writeFileSync(join(dist, 'archive.tar.gz'), 'archive');
  const { FIRESTORE_EMULATOR_HOST, PUBSUB_EMULATOR_HOST } = system.env;
  const { code, stdout, stderr } = await callCommand(
    ['deploy', '--project', 'demo-deploy', '--region', 'europe-west1', '--dist', dist, '--yes', '--test'],
    {
      PATH: `${bin}:/usr/bin:/bin`,
      STAND_IN_STATE: folder,
      INQUEST_CONFIG: undefined,
      FIRESTORE_EMULATOR_HOST,
      PUBSUB_EMULATOR_HOST,
    },
  );
  expect({ code, stderr: stderr.filter((line) => line.startsWith('inquest:')) }).toEqual({
    code: 0,
    stderr: [],
  });
  expect(stdout.join('\n')).toContain('The alert "Test of the deployment" arrived.');
});
