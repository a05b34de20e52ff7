// POST /v1/alerts/preview: what would happen to an alert, as the commands `adapt` and `route` print it.

import { describe, expect, it } from 'vitest';
import { routeAlert } from '../../../shared/config/routing.ts';
import { triageAlert } from '../../../shared/config/triage.ts';
import { createAlertCheck } from '../../../shared/kits/alerts/checkAlert.ts';
import { adaptJson, routeJson } from '../../../shared/kits/views/alerts/alertPreview.ts';
import { startApiBench } from '../../support/apiBench.ts';

const SECRET = 'q7RkT2mZx9Lw4VbN8sYc';
const ALERT = {
  receiver: 'inquest',
  status: 'firing',
  alerts: [
    {
      status: 'firing',
      labels: { alertname: 'PodCrash', namespace: 'shop', severity: 'critical' },
      annotations: { summary: `the key is ${SECRET}` },
      startsAt: '2026-11-24T10:00:00Z',
      fingerprint: 'abc',
    },
  ],
};
const script = { conversations: [{ turns: [{ text: 'Done.' }] }] };

describe('the preview of an alert', () => {
  it('is the output of adapt and route, without secrets, and sends nothing', async () => {
    const api = await startApiBench({ script, knownSecrets: [SECRET] });
    const { status, body } = await api.ask('/v1/alerts/preview', { body: ALERT });
    expect(status).toBe(200);
    expect(JSON.stringify(body)).not.toContain(SECRET);
    const read = await createAlertCheck(api.deps.maskerFor)(Buffer.from(JSON.stringify(ALERT)), {});
    const triage = triageAlert(api.config.triage, read.alert, read.body, api.deps.clock.now());
    const { alert, body: size, from, ...adapted } = JSON.parse(JSON.stringify(adaptJson(read, triage)));
    expect(body).toMatchObject({ ...adapted, from, body: size });
    expect(body.alert).toMatchObject({ source: alert.source, title: alert.title, severity: 'critical' });
    const route = routeJson(read.alert, routeAlert(api.config, read.alert, read.body), triage);
    const { alert: _, ...routed } = JSON.parse(JSON.stringify(route));
    expect(body).toMatchObject(routed);
    expect(body.chains).toContain(body.chain);
    expect((await api.ask('/v1/sessions')).body.sessions).toEqual([]);
  });

  it('names the place of a fault in JSON, and the fix', async () => {
    const api = await startApiBench({ script, inMemory: true });
    const { body } = await api.ask('/v1/alerts/preview', { body: '{\n  "title": "x"\n  "labels": {}\n}' });
    expect(body.code).toBe('ALERT_INVALID');
    expect(body.detail).toContain('broken JSON (line 3, column 3: correct it there)');
    expect((await api.ask('/v1/alerts/example')).body).toEqual({ text: null });
  });

  it('reads the attributes of the message, which can name its source', async () => {
    const api = await startApiBench({ script, inMemory: true });
    const preview = (headers: Record<string, string>) =>
      api.ask('/v1/alerts/preview', {
        body: { data: { issue: { title: 'x' } }, action: 'created' },
        headers,
      });
    expect((await preview({})).body.alert.source).not.toBe('sentry');
    const named = await preview({ 'x-alert-attributes': '{"sentry-hook-resource":"issue"}' });
    expect(named.body.alert.source).toBe('sentry');
    expect((await preview({ 'x-alert-attributes': '{"tenant":"acme"}' })).status).toBe(400);
  });

  it('refuses a chain that does not exist, and a text that is no alert', async () => {
    const api = await startApiBench({ script });
    const unknown = await api.ask('/v1/alerts/preview?chain=nothing', { body: ALERT });
    expect(unknown.body.code).toBe('CONFIG_UNKNOWN_CHAIN');
    expect((await api.ask('/v1/alerts/preview', { body: '' })).body.code).toBe('ALERT_EMPTY');
  });
});
