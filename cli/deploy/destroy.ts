// Ends an installation.

import { rm } from 'node:fs/promises';
import { FIRESTORE } from '../google/addresses.ts';
import type { GoogleApi } from '../google/googleApi.ts';
import { UsageError } from '../process/usageError.ts';
import { checkOwner, deleteBucket, deployedTier, hasState, type Tier } from './buckets.ts';
import { type DeployTools, planAndApply } from './deployment.ts';
import { isDatabaseNew, projectNumber } from './project.ts';
import {
  archiveFolder,
  checkStateBucket,
  downloadArchive,
  listReleases,
  type StoredRelease,
} from './releases.ts';
import type { SecretSettings } from './secrets.ts';
import { deployCommand, isStateShared, type Target } from './target.ts';
import { stageFolder } from './terraformFolder.ts';
import { ownVariables } from './variables.ts';
import { deleteManaged, destroyLines } from './withoutTerraform.ts';

/** Whether the installation made its database. */
const ownsDatabase = ({ name, database }: Target): boolean => database === name;

type Settings = SecretSettings & Record<string, unknown>;

/** The rest of an installation in its project: parts that it used and did not own, and copies of its data. */
function describeRemains({ name, database }: Target, { secret_ids: secrets = {} }: SecretSettings): string[] {
  return [
    'enabled APIs',
    'logs, until their retention ends',
    'usage in the bills',
    'backups of the database from a time in production, for 14 days after each was made',
    ...(database === name ? [] : [`the database ${database}, which deploy.tfvars.json names`]),
    ...Object.values(secrets),
  ];
}

/**
 * Deletes everything of a trial: services, database, topics, secrets, accounts, then the state and the
 * archives.
 * @returns whether it is deleted.
 * @throws UsageError for an installation in production, or when nothing is deployed.
 */
export async function destroyInstallation(tools: DeployTools, settings: Settings): Promise<boolean> {
  const { google, target, terraform, output, confirm } = tools;
  const tier = await deployedTier(google, target);
  if (tier === 'production')
    throw new UsageError(
      `${target.name} in ${target.project} is in production: its sessions, knowledge and backups would be lost. To end it, first remove the protection with \`${deployCommand(target)} --tier trial\`, then run --destroy again`,
    );
  if (terraform === undefined) {
    const lines = destroyLines(target);
    output.event({ type: 'instructions', lines }, lines);
    return false;
  }
  if (tier === undefined)
    throw new UsageError(
      `${target.name} is not deployed to ${target.project} from a terminal: gs://${target.releaseBucket} does not exist. An installation of Infrastructure Manager is deleted by: ${deleteManaged(target)}`,
    );
  const number = await projectNumber(google, target);
  const releases = await listReleases(google, target);
  checkStateBucket(releases, target);
  await checkOwner(google, target, number);
  const [release] = releases;
  let isDeleted = false;
  if (release !== undefined) {
    await stageRelease(tools, release, { tier, settings, number });
    const apply = async () => {
      if (ownsDatabase(target) && !(await isDatabaseNew(google, target)))
        await unprotectDatabase(google, target);
      await terraform.apply();
    };
    const outcome = await planAndApply(tools, terraform, { isDestroy: true, planOnly: false, apply });
    if (outcome === 'declined') return false;
    isDeleted = outcome === 'applied';
    if (!isDeleted) await checkNothingExists(google, target, releases);
  } else if (await hasState(google, target)) {
    throw new Error(
      `gs://${target.releaseBucket} has no archive, but there is a state: deploy again with \`${deployCommand(target)}\`, then run --destroy again`,
    );
  }
  if (
    !isDeleted &&
    !(await confirm(`delete the state and the archives of ${target.name} in ${target.project}?`))
  )
    return false;
  await deleteBucket(google, target.releaseBucket);
  await deleteBucket(google, target.stateBucket, isStateShared(target) ? `${target.statePrefix}/` : '');
  for (const folder of [target.folder, archiveFolder(target)])
    await rm(folder, { recursive: true, force: true });
  const remains = describeRemains(target, settings);
  output.event({ type: 'destroyed', remains }, [
    `${target.name} is deleted from ${target.project}`,
    `remaining in the project: ${remains.join('; ')}`,
  ]);
  return true;
}

/** @throws Error when resources exist although the plan deletes none: the state does not name them. */
async function checkNothingExists(
  google: GoogleApi,
  target: Target,
  releases: readonly StoredRelease[],
): Promise<void> {
  const { name, database, stateBucket, statePrefix } = target;
  const hasOwnDatabase = ownsDatabase(target) && !(await isDatabaseNew(google, target));
  const isStateLost = releases.some(({ isApplied }) => isApplied) && !(await hasState(google, target));
  if (!hasOwnDatabase && !isStateLost) return;
  const fact = hasOwnDatabase ? `the database ${database} exists` : `a release of ${name} was applied`;
  throw new Error(
    `${fact}, but the state names no resource, so that Terraform deletes none. List earlier versions of the state: gcloud storage ls --all-versions gs://${stateBucket}/${statePrefix}/**; copy the last good one over default.tfstate, then run --destroy again. Without one, delete the resources in the console`,
  );
}

async function stageRelease(
  { google, target }: DeployTools,
  { digest, manifest }: StoredRelease,
  { tier, settings, number }: { tier: Tier; settings: Settings; number: string },
): Promise<void> {
  const archive = { file: await downloadArchive(google, target, digest), name: `${digest}.tar.gz` };
  const own = ownVariables(target, {
    projectNumber: number,
    tier,
    archive: archive.name,
    isDatabaseNew: false,
    secretVersions: {},
  });
  await stageFolder(target, { variables: { ...settings, ...own }, manifest, archive, withBackend: true });
}

/** Removes the deletion protection of the installation's database. Its data stays. */
async function unprotectDatabase(google: GoogleApi, { project, database }: Target): Promise<void> {
  const name = `projects/${project}/databases/${database}`;
  const operation = await google.call<{ name: string; done?: boolean }>({
    method: 'PATCH',
    url: `${FIRESTORE}/${name}?updateMask=deleteProtectionState`,
    body: { name, deleteProtectionState: 'DELETE_PROTECTION_DISABLED' },
  });
  await google.wait(`${FIRESTORE}/`, operation);
}
