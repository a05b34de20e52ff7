// Deployed archives in the release bucket, each with a record, which a rollback reads.

import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeploymentManifest } from '../../deploy/manifestFile.ts';
import { createFolder } from '../../shared/projectFiles.ts';
import { STORAGE, STORAGE_UPLOAD } from '../google/addresses.ts';
import type { GoogleApi } from '../google/googleApi.ts';
import { UsageError } from '../process/usageError.ts';
import { isConditionRefused } from './buckets.ts';
import type { Target } from './target.ts';

/** Releases that are kept for a rollback. */
const KEPT = 10;
/** Characters of a digest that are shown. */
const SHORT = 12;

/** A built release. */
export interface Release {
  /** Version of Inquest. */
  version: string;
  /** SHA-256 of the archive, in hexadecimal digits. */
  digest: string;
  /** dist/manifest.json. */
  manifest: DeploymentManifest;
}

/** A release in the bucket. */
export interface StoredRelease extends Release {
  /** ISO time of its latest deployment. */
  deployedAt: string;
  /** Whether its latest deployment was applied. Until then, the code of an earlier release can still run. */
  isApplied: boolean;
  /** The bucket of Terraform's state. */
  stateBucket: string;
  /** The version of each collection's documents that its code reads and writes. */
  documents: Record<string, number>;
  /** The first member of the dashboard, an e-mail address. */
  member?: string | undefined;
}

/** The object of an archive: a path without a leading slash. */
const archiveObject = (digest: string): string => `releases/${digest}.tar.gz`;
const recordObject = (digest: string): string => `releases/${digest}.json`;
export const shortDigest = (digest: string): string => digest.slice(0, SHORT);

/** The stored releases, latest deployment first. */
export async function listReleases(google: GoogleApi, { releaseBucket }: Target): Promise<StoredRelease[]> {
  const url = `${STORAGE}/${releaseBucket}`;
  if ((await google.find({ url })) === undefined) return [];
  const objects = await google.list<{ name: string }>(`${url}/o?prefix=releases/`, 'items');
  const records = objects.filter(({ name }) => name.endsWith('.json'));
  const releases = await Promise.all(
    records.map(({ name }) =>
      google.call<StoredRelease>({ url: `${url}/o/${encodeURIComponent(name)}?alt=media` }),
    ),
  );
  return releases.sort((a, b) => b.deployedAt.localeCompare(a.deployedAt));
}

/** Releases whose code can run: the latest applied one, and failed deployments after it. */
export function runningReleases(releases: readonly StoredRelease[]): readonly StoredRelease[] {
  const applied = releases.findIndex(({ isApplied }) => isApplied);
  return applied === -1 ? releases : releases.slice(0, applied + 1);
}

/**
 * Checks that the target names the bucket of the installation's state. A second, empty state would create
 * everything again.
 * @throws UsageError that names the bucket.
 */
export function checkStateBucket([latest]: readonly StoredRelease[], target: Target): void {
  if (latest === undefined || latest.stateBucket === target.stateBucket) return;
  throw new UsageError(
    `the state of ${target.name} in ${target.project} is in gs://${latest.stateBucket}, not in gs://${target.stateBucket}: use --state gs://${latest.stateBucket}`,
  );
}

/**
 * Uploads an archive unless it is stored already.
 * @param file its path on this machine.
 */
export async function uploadArchive(
  google: GoogleApi,
  { releaseBucket }: Target,
  { digest, file }: { digest: string; file: string },
): Promise<void> {
  const name = encodeURIComponent(archiveObject(digest));
  try {
    await google.call({
      method: 'POST',
      url: `${STORAGE_UPLOAD}/${releaseBucket}/o?uploadType=media&ifGenerationMatch=0&name=${name}`,
      body: await readFile(file),
      timeoutMs: 10 * 60_000,
    });
  } catch (error) {
    if (!isConditionRefused(error)) throw error;
  }
}

/** The folder of downloaded archives on this machine. Not the staged folder, which is emptied. */
export const archiveFolder = ({ folder }: Pick<Target, 'folder'>): string => `${folder}-releases`;

/** Downloads an archive. @returns its path. @throws Error when it was changed. */
export async function downloadArchive(google: GoogleApi, target: Target, digest: string): Promise<string> {
  const { releaseBucket } = target;
  const name = encodeURIComponent(archiveObject(digest));
  const bytes = await google.download(`${STORAGE}/${releaseBucket}/o/${name}?alt=media`);
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== digest)
    throw new Error(
      `gs://${releaseBucket}/${archiveObject(digest)} was changed: its digest is ${found}. Deploy from the sources instead`,
    );
  const file = join(archiveFolder(target), `${digest}.tar.gz`);
  createFolder(dirname(file));
  await writeFile(file, bytes);
  return file;
}

/** Records a release's start or application. Keeps the last 10, and the last applied one. */
export async function recordRelease(
  google: GoogleApi,
  target: Target,
  release: Release & Pick<StoredRelease, 'documents' | 'isApplied' | 'member'>,
  now: Date,
): Promise<void> {
  const { version, digest, manifest, documents, isApplied, member } = release;
  const record: StoredRelease = {
    version,
    digest,
    manifest,
    deployedAt: now.toISOString(),
    documents,
    isApplied,
    stateBucket: target.stateBucket,
    member,
  };
  const name = encodeURIComponent(recordObject(digest));
  await google.call({
    method: 'POST',
    url: `${STORAGE_UPLOAD}/${target.releaseBucket}/o?uploadType=media&name=${name}`,
    body: Buffer.from(JSON.stringify(record)),
  });
  const releases = await listReleases(google, target);
  const running = runningReleases(releases);
  for (const old of releases.slice(Math.max(KEPT, running.length)))
    for (const object of [archiveObject(old.digest), recordObject(old.digest)])
      await google.find({
        method: 'DELETE',
        url: `${STORAGE}/${target.releaseBucket}/o/${encodeURIComponent(object)}`,
      });
}
