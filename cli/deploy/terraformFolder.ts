// Terraform's folder: a copy of the module with variables, manifest and archive of a deployment.

import { copyFile, cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DeploymentManifest, indexesWithout } from '../../deploy/manifestFile.ts';
import { createFolder, projectFile } from '../../shared/projectFiles.ts';
import type { Target } from './target.ts';
import { STAGED } from './variables.ts';

const MODULE = projectFile('deploy/terraform');
/** Terraform's files between runs: downloaded providers, and a state that could not be saved. */
const KEPT = ['.terraform', '.terraform.lock.hcl', 'errored.tfstate'];
/** Files of the module that a deployment does not need. */
const LEFT_OUT = ['.terraform', 'tests', 'examples'];

/** The content of a staged folder. */
interface Staging {
  variables: object;
  manifest: DeploymentManifest;
  /** Path of the archive on this machine, and its name in the folder. */
  archive: { file: string; name: string };
  /**
   * Whether the state is in its bucket. Otherwise Terraform plans without, or Infrastructure Manager keeps
   * it.
   */
  withBackend: boolean;
}

/** Writes the folder of the target. Other content than Terraform's own files is replaced. */
export async function stageFolder(
  target: Target,
  { variables, manifest, archive, withBackend }: Staging,
): Promise<void> {
  const { folder } = target;
  createFolder(folder);
  for (const name of await readdir(folder))
    if (!KEPT.includes(name)) await rm(join(folder, name), { recursive: true });
  for (const name of await readdir(MODULE))
    if (!LEFT_OUT.includes(name)) await cp(join(MODULE, name), join(folder, name), { recursive: true });
  const json = (name: string, value: object) =>
    writeFile(join(folder, name), `${JSON.stringify(value, null, 2)}\n`);
  await json(STAGED.variables, variables);
  await json(STAGED.manifest, manifest);
  await copyFile(archive.file, join(folder, archive.name));
  const indexes = JSON.parse(await readFile(projectFile(STAGED.indexes), 'utf8'));
  await json(STAGED.indexes, indexesWithout(manifest.off, indexes));
  await copyFile(projectFile(STAGED.rules), join(folder, STAGED.rules));
  if (withBackend) await writeFile(join(folder, STAGED.backend), backend(target));
  else await writeFile(join(folder, STAGED.inputs), formatVariables(variables));
}

/** Its values are checked names, so that they need no escaping. */
const backend = ({ stateBucket, statePrefix }: Target): string => `# Written by \`inquest deploy\`.
terraform {
  backend "gcs" {
    bucket = "${stateBucket}"
    prefix = "${statePrefix}"
  }
}
`;

/** The variables as a .tfvars file. JSON values are expressions of Terraform once templates are escaped. */
function formatVariables(variables: object): string {
  const lines = Object.entries(variables).map(([name, value]) => {
    const json = JSON.stringify(value).replaceAll('${', '$${').replaceAll('%{', '%%{');
    return `${name} = ${json}\n`;
  });
  return lines.join('');
}
