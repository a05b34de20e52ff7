// The export to Google's Telemetry API, with its address led to a receiver of this machine.

import type { IncomingMessage, RequestOptions } from 'node:http';
import { expect, it, vi } from 'vitest';
import { startOtlpReceiver } from '../../test/support/otlpReceiver.ts';
import { startGoogleWorld } from '../../test/worlds/googleWorld.ts';
import type { Span } from '../core/contract/telemetry.ts';
import { createLogger } from '../log.ts';
import { openTelemetry } from './openTelemetry.ts';

// The exporter takes the function from Node before this file runs.
const wire = vi.hoisted(() => {
  const found = { hosts: [] as unknown[], port: '' };
  const http = process.getBuiltinModule('node:http');
  const https = process.getBuiltinModule('node:https');
  https.request = ((
    { agent: _, ...options }: RequestOptions,
    answer: (response: IncomingMessage) => void,
  ) => {
    found.hosts.push(options.hostname);
    return http.request({ ...options, hostname: '127.0.0.1', port: found.port }, answer);
  }) as typeof https.request;
  return found;
});

const SPAN: Span = {
  sessionId: 'a',
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  name: 'invoke_workflow test',
  kind: 'internal',
  startedAt: new Date('2026-11-26T12:00:00Z'),
  endedAt: new Date('2026-11-26T12:00:01Z'),
  attributes: {},
  events: [],
};

it('without targets, spans go to Google with a token of the own account and the project that pays', async () => {
  const google = await startGoogleWorld();
  const receiver = await startOtlpReceiver();
  wire.port = new URL(receiver.url).port;
  const env = { INQUEST_TELEMETRY: 'on', INQUEST_CONFIG: '/nowhere', GOOGLE_CLOUD_PROJECT: 'acme-prod' };
  const telemetry = openTelemetry(env, createLogger({ LOG_LEVEL: 'silent' }));
  // A slow machine needs longer for the first token than a flush waits: then the spans are dropped.
  const send = async () => {
    telemetry?.record({ sessions: ['a'], spans: () => [SPAN] });
    return (await telemetry?.flush())?.size;
  };
  await expect.poll(send, { timeout: 100_000 }).toBe(0);
  await expect.poll(send, { timeout: 100_000 }).toBe(0);
  expect(new Set(wire.hosts)).toEqual(new Set(['telemetry.googleapis.com']));
  const headers = { authorization: `Bearer ${google.minted[0]}`, 'x-goog-user-project': 'acme-prod' };
  expect(receiver.requests.length).toBeGreaterThan(1);
  for (const request of receiver.requests) expect(request).toMatchObject({ path: '/v1/traces', headers });
  // The library keeps the token.
  expect(google.minted).toHaveLength(1);
});
