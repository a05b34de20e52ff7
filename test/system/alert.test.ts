import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PubSub } from '@google-cloud/pubsub';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findExample } from '../../local/examples.ts';
import { type ScriptedModel, startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { type RunningSystem, startSystem } from '../../local/system.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { awaitSessionId } from '../../shared/kits/views/awaitSession.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { expectNoGaps, listErrorCodes, listEventTypes } from '../support/expectations.ts';
import { readInvestigation, readRejected } from '../support/harness.ts';
import { composePushBody } from '../support/pushEvents.ts';

const example = findExample('crashloop');
const alert = readFileSync(example.alertFile);

describe('the running system', () => {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  let gemini: ScriptedModel;
  let system: RunningSystem;
  let store: Store;

  beforeAll(async () => {
    gemini = await startScriptedModel({ script: example.scriptFile });
    system = await startSystem({
      projectId,
      env: {
        INQUEST_CONFIG: example.configFolder,
        GOOGLE_GEMINI_BASE_URL: gemini.url,
        GEMINI_API_KEY: 'scripted',
      },
    });
    store = createFirestoreStore({ projectId });
  });

  afterAll(async () => {
    await Promise.all([system?.stop(), store?.close()]);
    await gemini?.stop();
  });

  /** The investigation of an alert, once it has ended. */
  async function investigated(messageId: string, data: Uint8Array) {
    const { signal } = new AbortController();
    const sessionId = await awaitSessionId(deriveAlertKey({ messageId, data }), store, signal);
    const ended = async () => {
      const session = await store.get(paths.session(sessionId), sessionType);
      return session !== undefined && isTerminal(session.value.status);
    };
    await expect.poll(ended, { interval: 100 }).toBe(true);
    return readInvestigation(store, sessionId);
  }

  const post = (body: unknown, options: { path?: string; headers?: Record<string, string> } = {}) =>
    fetch(`${system.endpoints.ingestAlert}${options.path ?? `/projects/${projectId}/topics/alerts`}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...options.headers },
      body: JSON.stringify(body),
    });

  it('turns a published Alertmanager alert into a finished investigation', async () => {
    const pubsub = new PubSub({
      projectId,
      apiEndpoint: system.endpoints.pubsub,
      emulatorMode: true,
      clientOptions: { universeDomain: 'googleapis.com' },
    });
    const messageId = await pubsub.topic('alerts').publishMessage({ data: alert });
    await pubsub.close();
    const run = await investigated(messageId, alert);
    expect(run.session).toMatchObject({
      status: 'completed',
      failure: null,
      parts: { alert: { source: 'alertmanager', status: 'firing' } },
      finalAnalysis: expect.stringContaining('**Root cause** (confidence: high)'),
    });
    const call = ['llm_tool_call', 'tool_result'];
    expect(listEventTypes(run)).toEqual([
      'llm_thinking',
      'llm_response',
      ...call,
      ...call,
      ...call,
      'llm_thinking',
      ...call,
      'llm_thinking',
      'llm_response',
      ...call,
      ...call,
      ...call,
      ...call,
      ...call,
      'llm_thinking',
      'final_analysis',
      'executive_summary',
    ]);
    expect(listErrorCodes(run)).toEqual([]);
    expect(run.interactions).toHaveLength(6);
    expect(run.session.tokens.total).toBeGreaterThan(0);
    expectNoGaps(run);
  });

  it("accepts an alert as Eventarc's binary CloudEvent", async () => {
    const id = `eventarc-${randomUUID()}`;
    const response = await post(composePushBody({ id, data: alert }), {
      path: '/',
      headers: {
        'ce-id': id,
        'ce-source': `//pubsub.googleapis.com/projects/${projectId}/topics/alerts`,
        'ce-specversion': '1.0',
        'ce-type': 'google.cloud.pubsub.topic.v1.messagePublished',
        'ce-time': '2026-11-05T10:20:30.123Z',
      },
    });
    expect(response.status).toBe(204);
    expect((await investigated(id, alert)).session.status).toBe('completed');
  });

  it('accepts a Cloud Monitoring incident as raw push', async () => {
    const incident = {
      incident: {
        incident_id: '0.nrwot9xq2yqx',
        scoping_project_id: 'shop-prod',
        scoping_project_number: 123456789,
        url: 'https://console.cloud.google.com/monitoring/alerting/incidents/0.nrwot9xq2yqx',
        severity: 'CRITICAL',
        started_at: 1_793_874_030,
        ended_at: null,
        state: 'open',
        resource_id: '',
        resource_name: 'checkout',
        resource: {
          type: 'k8s_container',
          labels: { namespace_name: 'shop', pod_name: 'checkout-7d9c6bf8d4-x2kqp' },
        },
        metric: { type: 'kubernetes.io/container/restart_count', displayName: 'Restart count', labels: {} },
        policy_name: 'Container restarts',
        condition_name: 'More than 3 restarts in 10 minutes',
        threshold_value: '3',
        observed_value: '4',
        summary: 'Restart count for checkout is above the threshold of 3 with a value of 4.',
      },
      version: '1.2',
    };
    const data = Buffer.from(JSON.stringify(incident));
    const id = `monitoring-${randomUUID()}`;
    expect((await post(composePushBody({ id, data }))).status).toBe(204);
    const run = await investigated(id, data);
    expect(run.session).toMatchObject({
      status: 'completed',
      parts: {
        alert: { source: 'cloud-monitoring', status: 'firing', identity: '0.nrwot9xq2yqx' },
      },
    });
  });

  it('answers 2xx to a message that it can never accept, and records it', async () => {
    const id = `bad-${randomUUID()}`;
    const bodies = [
      composePushBody({ id: `${id}-empty`, data: '' }),
      composePushBody({ id: `${id}-blank`, data: '  \n' }),
      { message: { messageId: `${id}-attributes`, attributes: { severity: 'high' } }, subscription: 's' },
      { message: { messageId: `${id}-data`, data: 'ab{}' }, subscription: 's' },
    ];
    for (const body of bodies) expect((await post(body)).status).toBe(204);
    // Without a message the subscription is set up wrongly: nothing is lost until that is repaired.
    for (const body of [{ hello: 'world' }, []]) expect((await post(body)).status).toBe(400);
    const rejected = await readRejected(store);
    const codes = (prefix: string) =>
      rejected
        .filter(({ messageId }) => messageId.startsWith(prefix))
        .map(({ messageId, failure }) => [messageId.slice(prefix.length), failure.code])
        .sort();
    expect(codes(`${id}-`)).toEqual([
      ['attributes', 'ALERT_EMPTY'],
      ['blank', 'ALERT_EMPTY'],
      ['empty', 'ALERT_EMPTY'],
    ]);
    expect(codes('unreadable-').length).toBeGreaterThanOrEqual(1);
    expect(codes('').every(([, code]) => code === 'ALERT_EMPTY' || code === 'MESSAGE_MALFORMED')).toBe(true);
  });
});
