// A deployment without Google Cloud: what the Terraform module declares is created on this machine, and an
// alert goes through it. Nothing here shows that Google accepts the declarations.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { writeArchive } from '../../deploy/archive.ts';
import { buildFunctions } from '../../deploy/build.ts';
import { callCommand } from '../support/callCommand.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { writePage } from '../support/pageFixture.ts';
import { type Deployment, startDeployment } from './deployment.ts';
import { ASSERTION, FROM_INTERNET, SIGNED_IN, signAssertion } from './frontEnd.ts';
import { PROBES, runProbe } from './probes.ts';
import {
  backsOff,
  investigates,
  recoversUndelivered,
  takesAll,
  untilQuiet,
  waitsForSlowCalls,
} from './scenarios.ts';
import { type DeploymentSettings, readSettings } from './settings.ts';

const CONFIG = new URL('../terraform/samples/config', import.meta.url).pathname;
const TRIAL_CONFIG = new URL('../../deploy/trial', import.meta.url).pathname;
const declared = readSettings('production');
/** More than the instances take at once, so that Pub/Sub has to deliver again. */
const ALERTS = IS_LONG ? 500 : 120;

// For a test that hangs: the longest one takes half a minute.
vi.setConfig({ testTimeout: 1_200_000, hookTimeout: 1_200_000 });

const root = mkdtempSync(join(tmpdir(), 'inquest-deployment-'));
/** Builds the archive of a configuration, and starts what the settings declare from it. */
async function deploy(name: string, configFolder: string, settings: DeploymentSettings) {
  const page = writePage();
  const built = join(root, name, 'built');
  const extracted = join(root, name, 'extracted');
  mkdirSync(extracted, { recursive: true });
  await buildFunctions(built, { configFolder, page });
  rmSync(page, { recursive: true });
  const { file } = await writeArchive(built);
  await promisify(execFile)('tar', ['-xzf', file, '-C', extracted]);
  return startDeployment(settings, extracted);
}

let deployment: Deployment;
beforeAll(async () => {
  deployment = await deploy('production', CONFIG, declared);
});
beforeEach(async () => {
  await untilQuiet(deployment);
});
afterAll(async () => {
  await deployment?.stop();
  rmSync(root, { recursive: true, force: true });
});

describe('the declared resources', () => {
  it('repeat a failed delivery after ten seconds', async () => {
    await backsOff(deployment, 'a failure');
  });

  it('wait for a call of three minutes', async () => {
    await waitsForSlowCalls(deployment, 'a slow model');
  });

  it(`take ${ALERTS} alerts at once with one instance for each service`, async () => {
    const small = structuredClone(declared);
    for (const service of Object.values(small.services)) service.max_instances = 1;
    await deployment.apply(small);
    await takesAll(deployment, 'an overload', ALERTS);
    await deployment.apply(declared);
  });
});

/** Declared rights that no probe uses. */
const UNPROBED = [
  // A pressed button of Slack starts an iteration: test/features/deliveries/slackButtons.test.ts.
  /-deliver@\S+ roles\/pubsub\.publisher \S+-iterations$/,
  // A mention in Slack requests a session: test/features/ask/ask.test.ts.
  /-deliver@\S+ roles\/pubsub\.publisher \S+-alerts$/,
  // Only an installation with an address for traces exports them and metrics, to Google's own service.
  / roles\/telemetry\.(?:traces|metrics)Writer /,
];
const probed = declared.iam_triples.filter((right) => !UNPROBED.some((one) => one.test(right)));

describe('rights', () => {
  /** The probe that uses a right. */
  const probeOf = new Map<string, string>();
  /** Secrets are read when an instance starts. */
  const killAll = () =>
    Promise.all(Object.values(deployment.services).map(({ instance }) => instance.kill()));
  const without = (right: string) => ({
    ...declared,
    iam_triples: declared.iam_triples.filter((one) => one !== right),
  });
  /** Pub/Sub looks at its own rights when a subscription is made; they matter when it moves a message. */
  const moves = (right: string) => {
    if (!right.includes('gcp-sa-pubsub')) return undefined;
    return right.includes('-alerts')
      ? 'an alert that no service accepts'
      : 'a message that reaches no service';
  };
  const failsWithout = async (right: string, probe: string) => {
    await deployment.apply(without(right));
    if (right.includes('secretmanager')) await killAll();
    const [, role, resource] = right.split(' ');
    const denial = new RegExp(`was denied ${role} on ${resource?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
    const fault = moves(right) ? /dead letter|was denied/ : denial;
    const title = `without right ${declared.iam_triples.indexOf(right)}`;
    await expect(runProbe(probe, deployment, title)).rejects.toThrow(fault);
    await deployment.apply(declared);
  };

  it.each(Object.keys(PROBES))('let pass: %s', async (name) => {
    if (probeOf.size === 0) await killAll();
    deployment.rights.used.clear();
    await deployment.apply(declared);
    await runProbe(name, deployment, name);
    for (const right of deployment.rights.used) if (!probeOf.has(right)) probeOf.set(right, name);
  });

  it('are all used', () => {
    expect(probed.filter((right) => !probeOf.has(right))).toEqual([]);
  });

  it.skipIf(IS_LONG).each([
    [/-run@\S+ roles\/pubsub\.publisher \S+-iterations$/, 'an alert that uses tools and sends messages'],
    [/-tick@\S+ roles\/run\.invoker/, 'the sweep'],
  ])('are missed: %s', async (pattern, probe) => {
    const [right = ''] = declared.iam_triples.filter((one) => pattern.test(one));
    await failsWithout(right, probe);
  });

  it.runIf(IS_LONG).each(probed)('are missed: %s', async (right) => {
    await failsWithout(right, moves(right) ?? probeOf.get(right) ?? expect.unreachable('no probe uses it'));
  });
});

describe('callers', () => {
  const addressOf = (name: string) => deployment.services[name]?.frontEnd.url ?? '';
  const portOf = async (name: string) =>
    `http://127.0.0.1:${await deployment.services[name]?.instance.port()}`;
  const status = async (url: string, headers: Record<string, string> = {}) =>
    (await fetch(url, { headers, redirect: 'manual' })).status;
  const bearer = async () => {
    const { stdout } = await callCommand(['keys', 'create', 'ci', '--role', 'viewer'], deployment.env);
    const [key] = /inq_\S+/.exec(stdout.join('\n')) ?? [];
    return { authorization: `Bearer ${key}` };
  };
  const assertion = async (audience: string) => ({
    [ASSERTION]: await signAssertion(
      'oncall@example.com',
      audience,
      deployment.iapKey,
      deployment.clock.now(),
    ),
  });
  const audience = declared.services.console?.environment.IAP_AUDIENCE ?? '';

  it('of api are programs with a key, and no user behind Identity-Aware Proxy', async () => {
    expect(await status(`${addressOf('api')}/v1/sessions`, await bearer())).toBe(200);
    expect(await status(`${addressOf('api')}/v1/sessions`, await assertion(audience))).toBe(401);
    expect(await status(`${addressOf('api')}/v1/sessions`)).toBe(401);
  });

  it('of console are people behind Identity-Aware Proxy, and no programs', async () => {
    const signedIn = { cookie: `${SIGNED_IN}=oncall@example.com` };
    expect(await status(`${addressOf('console')}/v1/sessions`, signedIn)).toBe(200);
    expect(await status(`${addressOf('console')}/`, signedIn)).toBe(200);
    expect(await status(`${addressOf('console')}/v1/sessions`)).toBe(302);
    const stranger = { cookie: `${SIGNED_IN}=stranger@example.com` };
    expect(await status(`${addressOf('console')}/v1/sessions`, stranger)).toBe(403);
    // Past Identity-Aware Proxy, which only Cloud Run itself could be.
    const direct = `${await portOf('console')}/v1/sessions`;
    expect(await status(direct, await assertion(audience))).toBe(200);
    expect(await status(direct, await assertion(`${audience}-other`))).toBe(401);
    expect(await status(direct, await bearer())).toBe(401);
  });

  it.each(['ingestAlert', 'runIteration', 'buryIteration', 'sweep', 'deliver', 'ingestChange'])(
    'of %s are not the internet',
    async (name) => {
      expect(await status(addressOf(name), { [FROM_INTERNET]: 'yes' })).toBe(404);
      expect(await status(addressOf(name))).toBe(403);
    },
  );
});

describe('a change of the declared resources is noticed:', () => {
  const subscription = (settings: DeploymentSettings, id: string) =>
    settings.subscriptions[id] ?? expect.unreachable(`no subscription ${id}`);
  const push = (settings: DeploymentSettings, id: string) =>
    subscription(settings, id).push[0] ?? expect.unreachable(`no push to ${id}`);
  const withdraw = (settings: DeploymentSettings, right: RegExp) => {
    const kept = settings.iam_triples.filter((one) => !right.test(one));
    expect(kept).toHaveLength(settings.iam_triples.length - 1);
    settings.iam_triples = kept;
  };

  it.each<[string, (settings: DeploymentSettings) => void, typeof investigates, RegExp]>([
    [
      'another account of the tokens',
      (settings) => {
        push(settings, 'alerts-push').account = 'other@my-project.iam.gserviceaccount.com';
      },
      investigates,
      /^serviceAccount:other@\S+ was denied roles\/run\.invoker on services\/inquest-prod-ingest-alert$/,
    ],
    [
      'another audience of the tokens',
      (settings) => {
        push(settings, 'iterations-push').audience = 'https://other.example.com';
      },
      investigates,
      /^runIteration refused its caller with 401$/,
    ],
    [
      'an ack deadline of 10 s',
      (settings) => {
        subscription(settings, 'iterations-push').ack_deadline = 10;
      },
      waitsForSlowCalls,
      /^Pub\/Sub gave up a call that still ran$/,
    ],
    [
      'no retry policy',
      (settings) => {
        subscription(settings, 'alerts-push').retry = [];
      },
      backsOff,
      /^a message came again within 5 s/,
    ],
    [
      'a topic of dead letters without a subscription',
      (settings) => {
        delete settings.subscriptions['iterations-dead-push'];
      },
      recoversUndelivered,
      /^no dead letter reached buryIteration$/,
    ],
    [
      'dead letters that Pub/Sub is not allowed to publish',
      (settings) => withdraw(settings, /gcp-sa-pubsub\S+ roles\/pubsub\.publisher \S+-iterations-dead$/),
      recoversUndelivered,
      /^no dead letter reached buryIteration$/,
    ],
    [
      'buryIteration without its caller',
      (settings) => withdraw(settings, /roles\/run\.invoker \S+-bury-iteration$/),
      recoversUndelivered,
      /-push@\S+ was denied roles\/run\.invoker on services\/inquest-prod-bury-iteration$/,
    ],
  ])('%s', async (title, change, scenario, fault) => {
    const changed = structuredClone(declared);
    change(changed);
    await deployment.apply(changed);
    await expect(scenario(deployment, title)).rejects.toThrow(fault);
  });
});

describe('the example of a trial', () => {
  let trial: Deployment;
  beforeAll(async () => {
    trial = await deploy('trial', TRIAL_CONFIG, readSettings('trial'));
  });
  afterAll(async () => {
    await trial?.stop();
  });

  it("uses Google's tools without any secret", async () => {
    await investigates(trial, 'an alert of the trial');
    expect([...trial.rights.used].filter((right) => /mcp|viewer|secret/.test(right))).toEqual([
      expect.stringMatching(/-run@\S+ roles\/mcp\.toolUser projects\/my-project$/),
      expect.stringMatching(/-run@\S+ roles\/logging\.viewer projects\/my-project$/),
      expect.stringMatching(/-run@\S+ roles\/monitoring\.viewer projects\/my-project$/),
    ]);
    expect(trial.rights.denied).toEqual([]);
  });

  it('investigates the test alert of a deployment with a chain of its own', async () => {
    await investigates(trial, 'a test alert', 'deployment-test');
  });

  it('misses the right to use its tools', async () => {
    const settings = readSettings('trial');
    settings.iam_triples = settings.iam_triples.filter((right) => !right.includes('mcp.toolUser'));
    await trial.apply(settings);
    await expect(investigates(trial, 'without tools')).rejects.toThrow(/was denied roles\/mcp\.toolUser/);
  });

  it('admits no one to the console until members are named', async () => {
    const cookie = `${SIGNED_IN}=oncall@example.com`;
    const response = await fetch(trial.services.console?.frontEnd.url ?? '', { headers: { cookie } });
    expect(response.status).toBe(403);
  });
});
