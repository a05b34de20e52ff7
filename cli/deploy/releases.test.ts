import { expect, it } from 'vitest';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { createGoogleStandIn } from '../../test/worlds/google/standInGoogle.ts';
import { openGoogleApi } from '../google/googleApi.ts';
import { listReleases, recordRelease } from './releases.ts';
import { resolveTarget } from './target.ts';

const TARGET = resolveTarget({ project: 'shop-prod', region: 'europe-west1', name: 'inquest' });

async function bucketOf() {
  const bucket = { resource: { name: TARGET.releaseBucket }, objects: new Map() };
  await createGoogleStandIn({ buckets: new Map([[TARGET.releaseBucket, bucket]]) });
  const google = openGoogleApi('shop-prod', new AbortController().signal);
  const manifest = deploymentManifest('1', projectFile('deploy/trial'));
  const record = (digest: string, minute: number, isApplied = true) =>
    recordRelease(
      google,
      TARGET,
      { version: '1', digest, manifest, documents: {}, isApplied },
      new Date(minute * 60_000),
    );
  const digests = async () => (await listReleases(google, TARGET)).map(({ digest }) => digest);
  return { record, digests };
}

it('the bucket keeps the last 10 releases, and a release that is deployed again is the latest', async () => {
  const { record, digests } = await bucketOf();
  for (let minute = 0; minute < 11; minute++) await record(`release-${minute}`, minute);
  await record('release-5', 60);
  expect(await digests()).toEqual([
    'release-5',
    ...[10, 9, 8, 7, 6, 4, 3, 2, 1].map((minute) => `release-${minute}`),
  ]);
});

it('the bucket keeps the release that was applied last, however many deployments failed since', async () => {
  const { record, digests } = await bucketOf();
  await record('older', 0);
  await record('running', 1);
  for (let minute = 2; minute < 14; minute++) await record(`failed-${minute}`, minute, false);
  expect((await digests()).at(-1)).toBe('running');
});
