// The two private buckets of an installation: Terraform's state, and the archives of its releases. Terraform
// does not manage them, because both are needed before its first plan.

import { STORAGE } from '../google/addresses.ts';
import { type GoogleApi, GoogleApiError } from '../google/googleApi.ts';
import { isStateShared, type Target } from './target.ts';

/** Earlier versions of the state that are kept. */
const STATE_VERSIONS = 100;
const TIER_LABEL = 'inquest-tier';
const NAME_LABEL = 'inquest-name';

/** The purpose of an installation: a trial leaves nothing, production is protected against deletion. */
export type Tier = 'trial' | 'production';
export const TIERS: readonly Tier[] = ['trial', 'production'];

interface Bucket {
  projectNumber: string;
  labels?: Record<string, string>;
  iamConfiguration?: {
    uniformBucketLevelAccess?: { enabled?: boolean };
    publicAccessPrevention?: string;
  };
  versioning?: { enabled?: boolean };
}

/** The tier that is deployed; undefined when nothing is. */
export async function deployedTier(google: GoogleApi, { releaseBucket }: Target): Promise<Tier | undefined> {
  const bucket = await google.find<Bucket>({ url: `${STORAGE}/${releaseBucket}` });
  if (bucket === undefined) return undefined;
  return bucket.labels?.[TIER_LABEL] === 'production' ? 'production' : 'trial';
}

/** Whether Terraform has saved a state of the installation. */
export async function hasState(google: GoogleApi, { stateBucket, statePrefix }: Target): Promise<boolean> {
  const object = encodeURIComponent(`${statePrefix}/default.tfstate`);
  return (await google.find({ url: `${STORAGE}/${stateBucket}/o/${object}` })) !== undefined;
}

interface OwnBucket {
  name: string;
  isVersioned: boolean;
  /** Undefined when it does not exist. */
  found: Bucket | undefined;
}

/**
 * Reads the buckets of an installation, which do not need to exist.
 * @throws Error when one belongs to another project. Names of buckets are global, so that another project
 * could have taken one.
 */
export async function checkOwner(
  google: GoogleApi,
  target: Target,
  projectNumber: string,
): Promise<OwnBucket[]> {
  const { releaseBucket, stateBucket } = target;
  const buckets: OwnBucket[] = [];
  for (const name of [releaseBucket, stateBucket]) {
    const found = await google.find<Bucket>({ url: `${STORAGE}/${name}` });
    const isOther = found !== undefined && found.projectNumber !== projectNumber;
    if (isOther && !(name === stateBucket && isStateShared(target)))
      throw new Error(
        `gs://${name} belongs to another project (number ${found.projectNumber}): choose another --name, or --state for the bucket of the state`,
      );
    buckets.push({ name, isVersioned: name === stateBucket, found });
  }
  return buckets;
}

/**
 * Creates the buckets that are missing.
 * @throws Error when one of the others is not private and versioned; the errors of `checkOwner`.
 */
export async function ensureBuckets(google: GoogleApi, target: Target, projectNumber: string): Promise<void> {
  for (const { name, isVersioned, found } of await checkOwner(google, target, projectNumber))
    if (found === undefined) await createBucket(google, target, { name, isVersioned });
    else checkPrivate(name, found, isVersioned);
}

async function createBucket(
  google: GoogleApi,
  target: Target,
  { name, isVersioned }: Omit<OwnBucket, 'found'>,
): Promise<void> {
  const lifecycle = {
    rule: [{ action: { type: 'Delete' }, condition: { isLive: false, numNewerVersions: STATE_VERSIONS } }],
  };
  await google.call({
    method: 'POST',
    url: `${STORAGE}?project=${target.project}`,
    body: {
      name,
      location: target.region,
      storageClass: 'STANDARD',
      labels: { [NAME_LABEL]: target.name },
      iamConfiguration: { uniformBucketLevelAccess: { enabled: true }, publicAccessPrevention: 'enforced' },
      ...(isVersioned && { versioning: { enabled: true }, lifecycle }),
    },
  });
}

function checkPrivate(name: string, bucket: Bucket, isVersioned: boolean): void {
  const { uniformBucketLevelAccess, publicAccessPrevention } = bucket.iamConfiguration ?? {};
  const isPrivate = uniformBucketLevelAccess?.enabled === true && publicAccessPrevention === 'enforced';
  if (isPrivate && (!isVersioned || bucket.versioning?.enabled === true)) return;
  throw new Error(
    `gs://${name} is not ${isVersioned ? 'private and versioned' : 'private'}: gcloud storage buckets update gs://${name} --uniform-bucket-level-access --public-access-prevention${isVersioned ? ' --versioning' : ''}`,
  );
}

/** Records the tier of the deployed installation. */
export async function recordTier(google: GoogleApi, { releaseBucket }: Target, tier: Tier): Promise<void> {
  await google.call({
    method: 'PATCH',
    url: `${STORAGE}/${releaseBucket}`,
    body: { labels: { [TIER_LABEL]: tier } },
  });
}

/**
 * Deletes a bucket with every version of its objects; nothing of it can be restored.
 * @param only a prefix: other objects, and then the bucket, stay.
 */
export async function deleteBucket(google: GoogleApi, name: string, only = ''): Promise<void> {
  const url = `${STORAGE}/${name}`;
  if ((await google.find({ url })) === undefined) return;
  if (only === '')
    await google.call({
      method: 'PATCH',
      url,
      body: { softDeletePolicy: { retentionDurationSeconds: '0' } },
    });
  const objects = await google.list<{ name: string; generation: string }>(
    `${url}/o?versions=true&prefix=${encodeURIComponent(only)}`,
    'items',
  );
  for (const object of objects)
    await google.find({
      method: 'DELETE',
      url: `${url}/o/${encodeURIComponent(object.name)}?generation=${object.generation}`,
    });
  if (only === '') await google.call({ method: 'DELETE', url });
}

/** Whether an error is the refusal of a write whose condition does not hold. */
export const isConditionRefused = (error: unknown): boolean =>
  error instanceof GoogleApiError && error.status === 412;
