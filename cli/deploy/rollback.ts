// Redeploys an earlier archive with the infrastructure of today.

import type { DeploymentManifest } from '../../deploy/manifestFile.ts';
import { findNewer } from '../migration/findNewer.ts';
import { UsageError } from '../process/usageError.ts';
import type { Deployable, DeployTools } from './deployment.ts';
import { downloadArchive, listReleases, type StoredRelease, shortDigest } from './releases.ts';
import { composeTargetEnvironment, type Target } from './target.ts';

/**
 * The release to go back to, with its archive on this machine.
 * Its services, topics and settings are those of today's manifest: an older manifest would delete resources
 * that newer releases added.
 * @param wanted the start of a digest. Undefined: the latest one that was applied before the current one.
 * @throws UsageError when there is no such release; Error when its code lacks a service of today, or the
 *   database holds documents that its code cannot read.
 */
export async function rollbackRelease(
  { google, target, output }: DeployTools,
  wanted: string | undefined,
): Promise<Deployable> {
  const releases = await listReleases(google, target);
  output.event(
    {
      type: 'releases',
      releases: releases.map(({ digest, version, deployedAt }) => ({ digest, version, deployedAt })),
    },
    releases.map(releaseLine),
  );
  const [current] = releases;
  const selected = selectRelease(releases, wanted, target);
  if (current === undefined) throw new UsageError(noRelease(target));
  checkServices(current.manifest, selected);
  await checkDocuments(target, selected);
  const archive = await downloadArchive(google, target, selected.digest);
  return { ...selected, manifest: current.manifest, archive };
}

const noRelease = ({ releaseBucket }: Target): string =>
  `gs://${releaseBucket} has no release before the current one to go back to`;

function releaseLine({ digest, version, deployedAt, isApplied }: StoredRelease, index: number): string {
  const state = isApplied ? 'deployed' : 'not applied as a whole';
  return `${index === 0 ? 'now' : '   '} ${shortDigest(digest)}  ${version}  ${state} ${deployedAt}`;
}

function selectRelease(
  releases: readonly StoredRelease[],
  wanted: string | undefined,
  target: Target,
): StoredRelease {
  if (wanted === undefined) {
    const previous = releases.slice(1).find(({ isApplied }) => isApplied);
    if (previous === undefined) throw new UsageError(noRelease(target));
    return previous;
  }
  const found = releases.filter(({ digest }) => digest.startsWith(wanted));
  const [only] = found;
  if (found.length === 1 && only !== undefined) return only;
  throw new UsageError(
    found.length === 0
      ? `no release of the last ${releases.length} starts with ${wanted}`
      : `${found.length} releases start with ${wanted}: give more characters`,
  );
}

function checkServices(today: DeploymentManifest, { manifest, digest }: StoredRelease): void {
  const names = manifest.services.map(({ name }) => name);
  const lacking = today.services.map(({ name }) => name).filter((name) => !names.includes(name));
  if (lacking.length > 0)
    throw new Error(
      `${shortDigest(digest)} has no ${lacking.join(', ')}, which the current release deploys: deploy a corrected release instead`,
    );
}

/** @throws Error that names each collection with documents that the release cannot read. */
async function checkDocuments(target: Target, release: StoredRelease): Promise<void> {
  const newer = await findNewer(composeTargetEnvironment(target), release.documents);
  if (newer.length === 0) return;
  throw new Error(
    `${shortDigest(release.digest)} cannot read documents that newer code wrote:\n${newer.map((line) => `  ${line}`).join('\n')}\nDeploy a corrected release instead. A restore of the database to an earlier time is in docs/restore.md`,
  );
}
