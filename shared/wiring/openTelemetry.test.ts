// The export of spans as a service wires it: INQUEST_TELEMETRY and telemetry.yaml.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startOtlpReceiver } from '../../test/support/otlpReceiver.ts';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { fileFaults } from '../config/configFile.ts';
import { loadTelemetry, telemetryFile } from '../config/telemetry.ts';
import type { Span } from '../core/contract/telemetry.ts';
import { createLogger } from '../log.ts';
import { openTelemetry } from './openTelemetry.ts';

const log = createLogger({ LOG_LEVEL: 'silent' });
const at = new Date('2026-11-26T12:00:00Z');
const SPAN: Span = {
  sessionId: 'a',
  traceId: '1'.repeat(32),
  spanId: '2'.repeat(16),
  name: 'invoke_workflow test',
  kind: 'internal',
  startedAt: at,
  endedAt: new Date(at.getTime() + 1_500),
  attributes: { 'gen_ai.conversation.id': 'a', 'inquest.tenant': undefined },
  events: [],
  link: `00-${'3'.repeat(32)}-${'4'.repeat(16)}-01`,
};

/** A configuration folder with this telemetry.yaml. */
function configWith(text: string): string {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'telemetry.yaml'), text);
  return folder;
}

describe('INQUEST_TELEMETRY', () => {
  it.each([undefined, '', 'off'])('does not open an exporter as %o', (INQUEST_TELEMETRY) => {
    expect(openTelemetry({ INQUEST_TELEMETRY }, log)).toBeUndefined();
  });

  it('refuses other values than on, off and metrics', () => {
    expect(() => openTelemetry({ INQUEST_TELEMETRY: 'yes' }, log)).toThrow('expected on, off or metrics');
  });

  it('on sends spans to the targets of telemetry.yaml, with their headers', async () => {
    const receiver = await startOtlpReceiver();
    const INQUEST_CONFIG = configWith(
      `targets: [{ url: "${receiver.url}/", headers: { authorization: "Bearer \${OTLP_TOKEN}" } }]\n`,
    );
    const env = { INQUEST_TELEMETRY: 'on', INQUEST_CONFIG, OTLP_TOKEN: 'secret' };
    const telemetry = openTelemetry(env, log);
    telemetry?.record({ sessions: ['a'], spans: () => [SPAN] });
    expect(await telemetry?.flush()).toEqual(new Set());
    expect(receiver.requests).toMatchObject([
      { path: '/v1/traces', headers: { authorization: 'Bearer secret' } },
    ]);
    expect(receiver.spans).toEqual([
      {
        traceId: SPAN.traceId,
        spanId: SPAN.spanId,
        parentSpanId: '',
        name: SPAN.name,
        kind: 1,
        startMs: at.getTime(),
        endMs: at.getTime() + 1_500,
        status: 0,
        message: '',
        attributes: { 'gen_ai.conversation.id': 'a' },
        events: [],
        links: ['3'.repeat(32)],
      },
    ]);
  });

  it.each([
    ['inquest-prod', 'inquest-prod'],
    ['inquest-prod-2', 'inquest-prod-2'],
    [undefined, 'inquest-prod'],
  ])(
    'on with the database %s sends metrics with series of that database',
    async (FIRESTORE_DATABASE, instance) => {
      const receiver = await startOtlpReceiver();
      const INQUEST_CONFIG = configWith(`targets: [{ url: "${receiver.url}" }]\n`);
      const env = {
        INQUEST_TELEMETRY: 'on',
        INQUEST_CONFIG,
        INQUEST_NAME: 'inquest-prod',
        FIRESTORE_DATABASE,
      };
      const point = { attributes: {}, value: 1 };
      const metric = {
        name: 'a',
        description: '',
        unit: '1',
        kind: 'gauge' as const,
        bounds: [],
        points: [point],
      };
      await openTelemetry(env, log)?.exportMetrics({ startedAt: at, at, metrics: [metric] });
      expect(receiver.exports[0]).toMatchObject([{ resource: { 'service.instance.id': instance } }]);
    },
  );

  it('on with an invalid telemetry.yaml fails no iteration: spans are dropped', async () => {
    const env = { INQUEST_TELEMETRY: 'on', INQUEST_CONFIG: configWith('sample: 2\n') };
    const telemetry = openTelemetry(env, log);
    telemetry?.record({ sessions: ['a'], spans: () => [SPAN] });
    expect(await telemetry?.flush()).toEqual(new Set(['a']));
  });
});

it.each([
  ['sample: 2', 'sample'],
  ['sample: -0.1', 'sample'],
  [`targets: [${'{ url: "https://a.example" }, '.repeat(6)}]`, 'targets'],
  ['targets: [{ url: "https://a.example", header: {} }]', 'header'],
  ['signals: []', 'signals'],
  ['content: all', 'content'],
  ['targets: []', 'targets'],
  ['targets: [{ auth: google }]', 'targets[0]'],
  ['enabled: true', 'enabled'],
])('a configuration with %s in telemetry.yaml is refused', (text, where) => {
  const [fault] = fileFaults(telemetryFile, configWith(`${text}\n`));
  expect(`${fault?.path} ${fault?.message}`).toContain(where);
});

it.each([
  'https://otlp.example.com',
  'http://telemetry.googleapis.com',
  'https://telemetrygoogleapis.com',
  'https://telemetry.googleapis.com.example.com',
  'https://telemetry.googleapis.com@example.com',
])('a token of Google is not sent to %s', (url) => {
  const folder = configWith(`targets: [{ url: "${url}", auth: google }]\n`);
  expect(() => loadTelemetry(folder, {})).toThrow('auth: google sends a token of this service');
});
