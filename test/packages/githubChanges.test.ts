// Real GitHub payloads as signed webhooks, and an audit log entry, to an investigation's block.

import { createHmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { readChanges } from '../../shared/changes/readChange.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { messageType, paths } from '../../shared/lists/documents.ts';
import { DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { startWebhookBench } from '../support/webhookBench.ts';

interface Recorded {
  /** The event. */
  name: string;
  /** Its payloads. */
  examples: Record<string, unknown>[];
}
const recorded = createRequire(import.meta.url)('@octokit/webhooks-examples') as Recorded[];
const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00';

it('every recorded payload of GitHub is read or ignored with a reason, and those of five events are changes', () => {
  const masker = createMaskers({ rules: DEFAULT_MASKING })('a'.repeat(32));
  const changed = new Set<string>();
  let read = 0;
  for (const { name, examples } of recorded)
    for (const example of examples) {
      const attributes = { 'X-GitHub-Event': name };
      const reading = readChanges(Buffer.from(JSON.stringify(example)), masker, {
        attributes,
        receivedAt: new Date(),
      });
      expect(reading.source).toBe('github');
      expect(reading.changes.length > 0).toBe(reading.ignored === null);
      for (const { resource } of reading.changes) expect(resource).toMatch(/^git:[\w-]+\/[\w-]+$/);
      if (reading.changes.length > 0) changed.add(name);
      read += 1;
    }
  expect(read).toBeGreaterThan(100);
  expect([...changed].sort()).toEqual(expect.arrayContaining(['deployment', 'deployment_status', 'release']));
});

it('signed payloads and an audit entry are in the first message of an agent, with their rates', async () => {
  const api = await startWebhookBench({ webhooks: { github: { secretEnv: 'HOOK' } }, env: { HOOK: SECRET } });
  const [example] = recorded.find(({ name }) => name === 'deployment')?.examples ?? [];
  const now = api.deps.clock.now().getTime();
  const deployment = {
    ...(example?.deployment as object),
    updated_at: new Date(now - 600_000).toISOString(),
  };
  const body = Buffer.from(JSON.stringify({ ...example, deployment }));
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const headers = { 'x-hub-signature-256': `sha256=${signature}`, 'x-github-event': 'deployment' };
  expect(await api.post('github', body, headers)).toMatchObject({
    status: 202,
    body: { source: 'github', changes: 1 },
  });
  const repo = String((example?.repository as { name?: string } | undefined)?.name).toLowerCase();
  const entry = {
    insertId: 'e1',
    logName: 'projects/shop/logs/cloudaudit.googleapis.com%2Factivity',
    timestamp: new Date(now - 300_000).toISOString(),
    protoPayload: {
      '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
      serviceName: 'k8s.io',
      methodName: 'io.k8s.apps.v1.deployments.patch',
      resourceName: `apps/v1/namespaces/shop/deployments/${repo}`,
      authenticationInfo: { principalEmail: 'dev@example.com' },
    },
    resource: { type: 'k8s_cluster', labels: { cluster_name: 'prod', project_id: 'shop' } },
  };
  await api.deps.publisher.publish(TOPICS.changes, entry, {});
  await api.drain();
  const alert = {
    title: 'Slow',
    status: 'firing',
    labels: { cluster: 'prod', namespace: 'shop', deployment: repo },
  };
  const session = await api.publishAlert(alert, {}, new Date(now).toISOString());
  await api.drain();
  const messages = await api.deps.store.list({ collection: paths.messages(session) }, messageType);
  const prompt = JSON.stringify(messages.map(({ value }) => value.blocks));
  expect(prompt).toMatch(
    /1\. \S+ \(5 min before\); deploy of k8s:prod\/shop\/Deployment\/\S+ \(the same resource\)/,
  );
  expect(prompt).toMatch(/2\. \S+ \(10 min before\); deploy, running of git:\S+ \(the same name\)/);
  expect(prompt).toMatch(/1 change of it in 14 days \(0\.1 a day\)/);
});
