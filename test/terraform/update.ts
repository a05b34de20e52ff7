// Writes the manifests that the examples of deploy/terraform are evaluated with, the evaluations, the lists
// of variables that settings/ gets, and the tables of its README. Needs `terraform` on the PATH, but no
// network.

import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { updateEvaluations } from './evaluate.ts';
import { updatePassing, updateReadme } from './readmeTables.ts';

const CONFIGURATIONS = { default: '../../config/', 'with-secrets': 'samples/config/' };

new Command('update-terraform')
  .description(
    'Writes the evaluations of deploy/terraform, its lists of variables, and the tables of its README.',
  )
  .parse();
for (const [name, folder] of Object.entries(CONFIGURATIONS)) {
  const manifest = deploymentManifest('0.0.0', fileURLToPath(new URL(folder, import.meta.url)));
  await writeFile(new URL(`samples/${name}.json`, import.meta.url), `${JSON.stringify(manifest, null, 2)}\n`);
}
updateReadme();
updatePassing();
await updateEvaluations();
