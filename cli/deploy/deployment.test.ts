import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { deploymentManifest } from '../../deploy/manifestFile.ts';
import { projectFile } from '../../shared/projectFiles.ts';
import { createGoogleStandIn } from '../../test/worlds/google/standInGoogle.ts';
import { openGoogleApi } from '../google/googleApi.ts';
import { enabledFirst } from './apis.ts';
import { deployedTier, type Tier } from './buckets.ts';
import { type DeployTools, deployRelease } from './deployment.ts';
import { enableApis } from './project.ts';
import { listReleases } from './releases.ts';
import { resolveTarget } from './target.ts';

it('enables all missing APIs in one step, before anything uses them, and waits', async () => {
  const missing = ['pubsub.googleapis.com', 'storage.googleapis.com'];
  const { requests } = await createGoogleStandIn({ disabledApis: new Set(missing) });
  const signal = new AbortController().signal;
  const google = openGoogleApi('shop-prod', signal);
  const target = resolveTarget({ project: 'shop-prod', region: 'europe-west1', name: 'inquest' });
  const lines: string[] = [];
  const wanted = enabledFirst(deploymentManifest('1.2.3', projectFile('deploy/trial')), {});
  const how = { progress: (line: string) => void lines.push(line), readyMs: 5, signal };
  expect(wanted.length).toBeLessThanOrEqual(20);
  expect((await enableApis(google, target, wanted, how)).sort()).toEqual(missing);
  expect(lines).toEqual([expect.stringMatching(/^enabling \S+, \S+$/), 'waiting 0.005 s until they answer']);
  expect(await enableApis(google, target, wanted, how)).toEqual([]);
  expect(requests.filter((request) => request.includes('batchEnable'))).toHaveLength(1);
});

it('pauses until a release with other versions of documents is applied', async () => {
  const keys = [
    'second-inquest-decision-key',
    'second-inquest-decision-public-keys',
    'second-inquest-key-secrets',
  ];
  const secrets = new Map(keys.map((id) => [id, [{ state: 'ENABLED', value: 'key' }]]));
  await createGoogleStandIn({ databases: new Set(['second']), secrets });
  const target = resolveTarget({ project: 'shop-prod', region: 'europe-west1', name: 'second' });
  const archive = join(tmpdir(), `inquest-${process.pid}.tar.gz`);
  writeFileSync(archive, 'archive');
  onTestFinished(() => {
    rmSync(archive);
    rmSync(target.folder, { recursive: true, force: true });
  });
  const calls: string[] = [];
  let failure: Error | undefined;
  const changes = [
    {
      address: 'google_pubsub_topic.topic',
      type: 'google_pubsub_topic',
      change: { actions: ['create'] },
    },
  ];
  const tools: DeployTools = {
    google: openGoogleApi('shop-prod', new AbortController().signal),
    target,
    terraform: {
      name: 'terraform',
      version: '1.11.4',
      init: async () => {},
      plan: async () => ({ resource_changes: changes }),
      apply: async () => {
        calls.push('apply');
        if (failure !== undefined) throw failure;
      },
      outputs: async () => ({}),
    },
    output: { event: () => {}, progress: () => {} },
    confirm: async () => true,
    whilePaused: async (work) => {
      calls.push('pause');
      await work().finally(() => calls.push('resume'));
    },
    signal: new AbortController().signal,
  };
  const manifest = deploymentManifest('1.2.3', projectFile('deploy/trial'));
  const deploy = async (digest: string, documents: Record<string, number>, tier?: Tier) => {
    calls.length = 0;
    const release = { version: '1.2.3', digest, manifest, archive, documents };
    await deployRelease(tools, release, { tier, settings: {}, planOnly: false }).catch(() => {});
    return calls.join(' ');
  };
  expect(await deploy('one', { sessions: 3 })).toBe('apply');
  expect(await deploy('two', { sessions: 3 })).toBe('apply');
  failure = new Error('no quota');
  expect(await deploy('three', { sessions: 4 }, 'production')).toBe('pause apply resume');
  expect(await deployedTier(tools.google, target)).toBe('production');
  // The code of the failed release can run, and has stored its versions.
  expect(await deploy('back', { sessions: 3 })).toBe('pause apply resume');
  // The old code can still run after a failure.
  failure = undefined;
  expect(await deploy('three', { sessions: 4 })).toBe('pause apply resume');
  expect(await deploy('four', { sessions: 4 })).toBe('apply');
  // An apply whose end was not recorded: the next plan is empty.
  failure = new Error('the connection ended');
  await deploy('five', { sessions: 4 });
  changes.length = 0;
  await deploy('five', { sessions: 4 });
  const [latest, previous] = await listReleases(tools.google, target);
  expect(latest).toMatchObject({ digest: 'five', isApplied: true });
  expect(previous).toMatchObject({ digest: 'four', isApplied: true });
});
