import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { http } from '@google-cloud/functions-framework';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { registerTopicFunction } from '../../functions/topicFunction.ts';
import { createLogger } from '../../shared/log.ts';
import { guardFunction } from './functionGuard.ts';

const calls: string[] = [];
registerTopicFunction('guardedEvent', async () => void calls.push('guardedEvent'), createLogger({}));
http('guardedHttp', (_, response) => {
  calls.push('guardedHttp');
  response.json({});
});

const API = 'http://127.0.0.1:8080';
const servers = new Map(
  ['guardedEvent', 'guardedHttp'].map((name) => [
    name,
    guardFunction(getTestServer(name), API, name === 'guardedHttp'),
  ]),
);
const portOf = (name: string) => {
  const address = servers.get(name)?.address() as AddressInfo;
  return address.port;
};

beforeAll(() =>
  Promise.all(
    [...servers.values()].map((server) => new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))),
  ),
);
afterAll(() => {
  for (const server of servers.values()) server.close().closeAllConnections();
});
beforeEach(() => {
  calls.length = 0;
});

interface Sent {
  name?: string;
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  path?: string;
}

const push = JSON.stringify({ message: { data: 'e30=', messageId: '1' }, subscription: 's' });

/** Sends a push to the topic's function, or what is given instead. */
function send({ name = 'guardedEvent', method = 'POST', headers = {}, body = push, path = '/' }: Sent) {
  const port = portOf(name);
  const host = `127.0.0.1:${port}`;
  const type = { 'content-type': 'application/json' };
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers: { host, ...type, ...headers } });
    sent.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    sent.end(body);
  });
}

const MISPLACED =
  /This is the port of a function; the API is at http:\/\/127\.0\.0\.1:8080\/v1\/webhooks\/SOURCE for webhooks$/;

describe('the port of a function on one machine', () => {
  it.each<[string, Sent]>([
    ['a push of Pub/Sub', {}],
    ['a push to the path of its topic', { path: '/projects/demo/topics/alerts' }],
    [
      'a structured CloudEvent',
      { headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' } },
    ],
    ['a request that names localhost', { headers: { host: 'localhost:1234' } }],
    ['the schedule, with an empty object', { name: 'guardedHttp', body: '{}' }],
    [
      'the schedule, without a body',
      { name: 'guardedHttp', body: '', headers: { 'content-type': 'application/json' } },
    ],
  ])('takes %s', async (_, sent) => {
    expect((await send(sent)).status).toBeLessThan(300);
    expect(calls).toEqual([sent.name ?? 'guardedEvent']);
  });

  it.each<[string, Sent, number, RegExp]>([
    ['a name that leads here (DNS rebinding)', { headers: { host: 'evil.example' } }, 403, /Host/],
    ['a name that starts as a loopback name', { headers: { host: '127.0.0.1.evil.example' } }, 403, /Host/],
    ['a script of another site', { headers: { origin: 'https://evil.example' } }, 403, /Origin/],
    ['a script of another port', { headers: { origin: 'http://localhost:3000' } }, 403, /Origin/],
    ['a sandboxed page', { headers: { origin: 'null' } }, 403, /Origin/],
    ['a navigation of another site', { headers: { 'sec-fetch-site': 'cross-site' } }, 403, /Sec-Fetch-Site/],
    ['a page of another port', { headers: { 'sec-fetch-site': 'same-site' } }, 403, /Sec-Fetch-Site/],
    ['an address that somebody typed', { headers: { 'sec-fetch-site': 'none' } }, 403, /Sec-Fetch-Site/],
    [
      'a form',
      { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'message[data]=e30=' },
      400,
      /Content-Type/,
    ],
    ['a form of plain text', { headers: { 'content-type': 'text/plain' }, body: push }, 400, /Content-Type/],
    [
      'a form with files',
      { headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      400,
      /Content-Type/,
    ],
    [
      'a type that only starts as JSON',
      { headers: { 'content-type': 'application/jsonp' } },
      400,
      /Content-Type/,
    ],
    [
      'a picture on a page',
      { name: 'guardedHttp', method: 'GET', body: '', headers: { 'sec-fetch-site': 'cross-site' } },
      403,
      /Sec-Fetch-Site/,
    ],
    [
      'a webhook for the API, with its address',
      { path: '/v1/webhooks/alertmanager?token=secret', body: '{}' },
      404,
      /^This is the port of a function; the API is at http:\/\/127\.0\.0\.1:8080\/v1\/webhooks\/alertmanager$/,
    ],
    ['a webhook at another path', { path: '/alerts?token=secret', body: '{}' }, 404, MISPLACED],
    ['a webhook at the port of the schedule', { name: 'guardedHttp', body: '{"alerts":[]}' }, 404, MISPLACED],
    ['a beacon without a type', { headers: { 'content-type': '' } }, 400, /Content-Type/],
  ])('refuses %s', async (_, sent, status, detail) => {
    const answer = await send(sent);
    expect(answer.status).toBe(status);
    expect((JSON.parse(answer.text) as { detail: string }).detail).toMatch(detail);
    expect(calls).toEqual([]);
  });

  it('names the API for a webhook without a path', async () => {
    const { status, text } = await send({ body: '{"alerts":[]}' });
    expect(status).toBe(400);
    expect((JSON.parse(text) as { error: string }).error).toMatch(MISPLACED);
    expect(calls).toEqual([]);
  });

  it.each<[string, Sent]>([
    ['broken JSON', { body: '{"message":' }],
    ['a charset that does not exist', { headers: { 'content-type': 'application/json; charset=none' } }],
    ['an encoding that does not exist', { headers: { 'content-encoding': 'none' } }],
  ])('shows no stack trace for %s', async (_, sent) => {
    const { status, text } = await send(sent);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text).not.toMatch(/\bat .*[\w)]:\d+|node_modules|file:\/\//);
    expect(calls).toEqual([]);
  });
});
