// From a payload of GitHub and an entry of the audit log to the block in the first message of an investigation.

import { describe, expect, it } from 'vitest';
import { TOPICS } from '../../shared/contract/publisher.ts';
import {
  changeCountsType,
  changeType,
  messageType,
  paths,
  timelineEventType,
} from '../../shared/schema/documents.ts';
import type { Change } from '../../shared/schema/features/change.ts';
import { IS_LONG } from '../support/fullTests.ts';
import { type Bench, type BenchOptions, startBench } from '../support/harness.ts';

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
      ...{ methodName, resourceName },
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

describe('what changed before an alert', () => {
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

  it('leaves out what controllers write all the time, and reads', async () => {
    const one = await bench();
    const at = minutesAgo(one, 1);
    const lease = 'coordination.k8s.io/v1/namespaces/kube-system/leases/scheduler';
    for (const ignored of [
      entry({ methodName: 'io.k8s.coordination.v1.leases.update', resourceName: lease, timestamp: at }),
      entry({ methodName: patch, resourceName: `${deployment}/status`, timestamp: at }),
      entry({
        methodName: patch,
        resourceName: deployment,
        principal: 'system:serviceaccount:kube-system:deployment-controller',
        timestamp: at,
      }),
      entry({ methodName: 'io.k8s.apps.v1.deployments.list', resourceName: deployment, timestamp: at }),
    ])
      await publish(one, ignored);
    expect(await changesOf(one)).toEqual([]);
    expect(await one.rejected()).toEqual([]);
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
