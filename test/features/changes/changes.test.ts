// From a GitHub payload and an audit log entry to the block in a first message.

import { describe, expect, it } from 'vitest';
import type { Change } from '../../../shared/changes/change.ts';
import { TOPICS } from '../../../shared/core/contract/publisher.ts';
import {
  changeCountsType,
  changeType,
  messageType,
  paths,
  sessionType,
  timelineEventType,
} from '../../../shared/lists/documents.ts';
import { IS_LONG } from '../../support/fullTests.ts';
import { type Bench, type BenchOptions, startBench } from '../../support/harness.ts';
import { sampleAgent } from '../../support/samples.ts';
import { readEvaluation } from '../../terraform/evaluate.ts';
import { isExported } from '../../terraform/logFilter.ts';

const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };
const MINUTE_MS = 60_000;
/** All of them take 12 s. */
const FLOOD = IS_LONG ? 10_000 : 300;
const bench = (more: Partial<BenchOptions> = {}) => startBench({ script, inMemory: true, ...more });

const publish = async ({ deps, drain }: Bench, body: unknown, attributes: Record<string, string> = {}) => {
  await deps.publisher.publish(TOPICS.changes, body, attributes);
  await drain();
};
const changesOf = async ({ deps }: Bench): Promise<(Change & { id: string })[]> =>
  (await deps.store.list({ collection: paths.changes }, changeType)).map(({ id, value }) => ({
    id,
    ...value,
  }));
const promptsOf = async ({ deps }: Bench, sessionId: string) =>
  (await deps.store.list({ collection: paths.messages(sessionId) }, messageType))
    .map(({ value }) => JSON.stringify(value.blocks))
    .join('\n');
const alertNow = (one: Bench, body: unknown) => one.publishAlert(body, {}, minutesAgo(one, 0));
const minutesAgo = ({ deps }: Bench, minutes: number): string =>
  new Date(deps.clock.now().getTime() - minutes * MINUTE_MS).toISOString();

/** An entry of the audit log, as a sink exports it. */
const entry = (
  more: { methodName: string; resourceName: string; timestamp: string } & Record<string, unknown>,
) => {
  const { methodName, resourceName, timestamp, proto = {}, principal = 'dev@example.com', ...others } = more;
  return {
    insertId: `${methodName} ${resourceName} ${timestamp}`,
    logName: 'projects/shop-prod/logs/cloudaudit.googleapis.com%2Factivity',
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      serviceName: 'k8s.io',
      methodName,
      resourceName,
      authenticationInfo: { principalEmail: principal },
      ...(proto as object),
    },
    resource: {
      type: 'k8s_cluster',
      labels: { cluster_name: 'prod', location: 'europe-west1', project_id: 'shop-prod' },
    },
    timestamp,
    ...others,
  };
};
const deployment = 'apps/v1/namespaces/shop/deployments/checkout';
const patch = 'io.k8s.apps.v1.deployments.patch';
const alert = {
  title: 'Checkout slow',
  status: 'firing',
  labels: { cluster: 'prod', namespace: 'shop', deployment: 'checkout' },
};

describe('changes before an alert', () => {
  it('is in the first message of an agent, from a push of GitHub and an entry of the audit log', async () => {
    const one = await bench();
    const image = { spec: { template: { spec: { containers: [{ image: 'checkout:1.8.3' }] } } } };
    await publish(
      one,
      entry({
        methodName: patch,
        resourceName: deployment,
        timestamp: minutesAgo(one, 25),
        proto: { request: image },
      }),
    );
    await publish(
      one,
      entry({
        methodName: patch,
        resourceName: 'apps/v1/namespaces/other/deployments/x',
        timestamp: minutesAgo(one, 5),
      }),
    );
    const id = await alertNow(one, alert);
    await one.drain();
    const prompt = await promptsOf(one, id);
    expect(prompt).toContain('What changed: recorded changes in the 24 hours before the alert');
    expect(prompt).toMatch(
      /1\. \S+ \(25 min before\); deploy of k8s:prod\/shop\/Deployment\/checkout \(the same resource\)/,
    );
    expect(prompt).toMatch(/checkout:1\.8\.3/);
    expect(prompt).toMatch(
      /2\. \S+ \(5 min before\); deploy of k8s:prod\/other\/Deployment\/x \(the same cluster or region\)/,
    );
    expect(prompt).toMatch(/Sources connected: audit-log \(newest event .*\)\. Not connected: .*GitHub/);
    expect(prompt.match(/What changed/g)).toHaveLength(1);
    expect(await one.rejected()).toEqual([]);
  });

  it('is none in 24 h where the sources are connected, and no block where none is', async () => {
    const one = await bench();
    const before = await alertNow(one, alert);
    await one.drain();
    expect(await promptsOf(one, before)).not.toContain('What changed');
    await publish(
      one,
      entry({ methodName: patch, resourceName: deployment, timestamp: minutesAgo(one, 26 * 60) }),
    );
    const id = await alertNow(one, { ...alert, title: 'Checkout down' });
    await one.drain();
    expect(await promptsOf(one, id)).toContain('none in 24 h');
  });

  it('is masked, and belongs to its tenant', async () => {
    const one = await bench();
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';
    const body = {
      resource: 'k8s:prod/shop/Deployment/checkout',
      title: `Set TOKEN=${secret}`,
      after: { token: secret },
    };
    await publish(one, body, { tenant: 'acme' });
    const [change] = await changesOf(one);
    expect(change).toMatchObject({ tenantId: 'acme', source: 'json' });
    expect(JSON.stringify(change)).not.toContain(secret);
    const id = await alertNow(one, alert);
    await one.drain();
    expect(await promptsOf(one, id)).not.toContain('What changed');
  });

  it('is one change for the start and the end of an operation, with the time and the result of its end', async () => {
    const one = await bench();
    const operation = {
      methodName: 'google.cloud.run.v2.Services.UpdateService',
      resourceName: 'projects/shop-prod/locations/europe-west1/services/cart',
    };
    const proto = { serviceName: 'run.googleapis.com' };
    const labels = { service_name: 'cart', location: 'europe-west1', project_id: 'shop-prod' };
    const resource = { type: 'cloud_run_revision', labels };
    const begin = entry({
      ...operation,
      proto,
      resource,
      timestamp: minutesAgo(one, 30),
      operation: { id: 'op-1', first: true },
    });
    const failed = { ...proto, status: { code: 13, message: 'image not found' } };
    const end = entry({
      ...operation,
      proto: failed,
      resource,
      timestamp: minutesAgo(one, 20),
      operation: { id: 'op-1', last: true },
    });
    await publish(one, begin);
    expect(await changesOf(one)).toMatchObject([
      { status: 'running', resource: 'gcp:run:shop-prod/europe-west1/cart' },
    ]);
    await publish(one, end);
    await publish(one, begin);
    const at = new Date(minutesAgo(one, 20));
    expect(await changesOf(one)).toMatchObject([{ status: 'attempted', at, count: 1, rate: { count: 1 } }]);
  });

  it('leaves out frequent writes of controllers, and reads; the declared log sink does not export them', async () => {
    const one = await bench();
    const at = minutesAgo(one, 1);
    const lease = 'coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler';
    const sinks = readEvaluation('trial').settings.change_sinks as Record<string, { filter: string }>;
    const isSent = (sent: object) => isExported(sinks['my-project']?.filter ?? '', { ...sent });
    for (const resourceName of [deployment, 'apps/v1/namespaces/events/deployments/leases'])
      expect(isSent(entry({ methodName: patch, resourceName, timestamp: at }))).toBe(true);
    const reads = 'projects/shop-prod/logs/cloudaudit.googleapis.com%2Fdata_access';
    for (const ignored of [
      entry({ methodName: 'io.k8s.coordination.v1.leases.update', resourceName: lease, timestamp: at }),
      entry({ methodName: patch, resourceName: `${deployment}/status`, timestamp: at }),
      entry({
        methodName: patch,
        resourceName: deployment,
        principal: 'system:serviceaccount:kube-system:deployment-controller',
        timestamp: at,
      }),
      entry({
        methodName: 'io.k8s.apps.v1.deployments.list',
        resourceName: deployment,
        timestamp: at,
        logName: reads,
      }),
    ]) {
      expect(isSent(ignored)).toBe(false);
      await publish(one, ignored);
    }
    expect(await changesOf(one)).toEqual([]);
    expect(await one.rejected()).toEqual([]);
  });

  it('has the actor of the audit entry and the states of the asset feed, whichever comes first', async () => {
    const one = await bench();
    const at = minutesAgo(one, 20);
    const name = 'projects/shop-prod/locations/europe-west1/services';
    const audit = (service: string) =>
      entry({
        methodName: 'google.cloud.run.v2.Services.UpdateService',
        resourceName: `${name}/${service}`,
        timestamp: at,
        proto: { serviceName: 'run.googleapis.com' },
        resource: {
          type: 'cloud_run_revision',
          labels: { service_name: service, location: 'europe-west1', project_id: 'shop-prod' },
        },
      });
    const asset = (service: string, image: string) => ({
      name: `//run.googleapis.com/${name}/${service}`,
      assetType: 'run.googleapis.com/Service',
      resource: { data: { spec: { image } } },
      updateTime: new Date(new Date(at).getTime() + 30_000).toISOString(),
    });
    const feed = (service: string) => ({
      asset: asset(service, 'v2'),
      priorAsset: asset(service, 'v1'),
      window: { startTime: at },
    });
    for (const message of [audit('cart'), feed('cart'), feed('shop'), audit('shop')])
      await publish(one, message);
    const joined = {
      actor: 'dev@example.com',
      before: expect.stringContaining('v1'),
      after: expect.stringContaining('v2'),
    };
    expect((await changesOf(one)).map(({ resource: _, ...change }) => change)).toMatchObject([
      joined,
      joined,
    ]);
    expect(await one.rejected()).toEqual([]);
  });

  it('is in the first message of an agent that another asks, and ReAct agents search for more of it', async () => {
    const helper = sampleAgent({ name: 'helper', instructions: 'You help.', tools: [] });
    const one = await bench({
      agent: {
        strategy: 'react',
        tools: ['ask_agent', 'search_changes'],
        asks: [{ name: 'helper' }],
        instructions: 'You lead.',
      },
      agents: { helper },
      script: {
        conversations: [
          { when: 'You help.', turns: [{ text: 'It was a deployment.' }] },
          {
            when: 'You lead.',
            turns: [
              {
                text: 'Thought: I ask.\nAction: ask_agent\nAction Input: {"agent_name": "helper", "input_text": "Why?"}',
              },
              {
                text: 'Thought: I search.\nAction: search_changes\nAction Input: {"resource": "checkout", "hours": 48}',
              },
              { text: 'Thought: That is all.\nFinal Answer: Version 1.8.3.' },
            ],
          },
        ],
      },
    });
    const older = { resource: 'service:checkout', title: 'Checkout 1.8.2', at: minutesAgo(one, 30 * 60) };
    const newer = { resource: 'service:checkout', title: 'Checkout 1.8.3', at: minutesAgo(one, 10) };
    await publish(one, { changes: [older, newer] });
    const id = await alertNow(one, alert);
    await one.drain();
    const sent = one.gemini.requests.map(({ body }) => JSON.stringify(body));
    const [asked = ''] = sent.filter((body) => body.includes('You help.'));
    expect(asked).toMatch(/What changed: .*Checkout 1\.8\.3/);
    expect(asked).not.toContain('Checkout 1.8.2');
    expect(sent.at(-1)).toMatch(/Observation: .*Checkout 1\.8\.3.*Checkout 1\.8\.2/);
    const { value } = (await one.deps.store.get(paths.session(id), sessionType)) ?? {};
    expect(value).toMatchObject({ status: 'completed', finalAnalysis: 'Version 1.8.3.' });
  });

  it('is noted in an open session when it becomes known late', async () => {
    const one = await bench();
    await publish(
      one,
      entry({
        methodName: patch,
        resourceName: 'apps/v1/namespaces/x/deployments/y',
        timestamp: minutesAgo(one, 60),
      }),
    );
    const id = await alertNow(one, alert);
    await one.deliverNext();
    await one.deps.publisher.publish(
      TOPICS.changes,
      entry({ methodName: patch, resourceName: deployment, timestamp: minutesAgo(one, 12) }),
      {},
    );
    const message = one.deps.publisher.published.at(-1);
    if (message !== undefined) await one.deliver(message);
    const events = await one.deps.store.list(
      { collection: paths.timeline(id), idPrefix: 'changes.' },
      timelineEventType,
    );
    expect(events.map(({ value }) => [value.metadata, value.content])).toMatchObject([
      [
        { code: 'late_change' },
        expect.stringMatching(
          /became known after this session was opened: deploy of k8s:prod\/shop\/Deployment\/checkout, 12 min before/,
        ),
      ],
    ]);
  });

  it('refuses a message that is no change, and names the fix', async () => {
    const one = await bench();
    await publish(one, { hello: 'world' });
    expect(await one.rejected()).toMatchObject([
      {
        function: 'ingestChange',
        failure: {
          code: 'CHANGE_UNKNOWN',
          message: expect.stringContaining('no adapter reads this message'),
        },
      },
    ]);
  });
});

describe('a flood of changes', () => {
  it(`of one resource in an hour makes few documents: ${FLOOD} changes cost at most 100`, async () => {
    const one = await bench();
    const hour = new Date(Math.floor(one.deps.clock.now().getTime() / 3_600_000) * 3_600_000);
    const at = new Date(hour.getTime() - 30 * MINUTE_MS).toISOString();
    for (let number = 1; number <= FLOOD; number++)
      await one.deps.publisher.publish(
        TOPICS.changes,
        { id: number, resource: 'service:cart', title: `Change ${number}`, at },
        {},
      );
    await one.drain();
    const changes = await changesOf(one);
    const counts = await one.deps.store.list({ collection: paths.allChangeCounts }, changeCountsType);
    expect(changes.length + counts.length).toBeLessThanOrEqual(100);
    expect(changes).toHaveLength(21);
    expect(changes.find(({ id }) => id.endsWith('.rest'))).toMatchObject({
      count: FLOOD - 20,
      title: `Change ${FLOOD}`,
    });
    expect(counts.flatMap(({ value }) => Object.values(value.counts))).toContain(FLOOD);
  });
});
