import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createSnsService } from './snsService.ts';

const url = new URL('https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-0a.pem');

it.each([
  ['answers nothing', () => {}],
  ['does not end its answer', (write: () => void) => write()],
])('a service that %s is given up, and asked again the next time', async (_, answer) => {
  let requests = 0;
  const server = createServer((_request, response) => {
    answer(() => void response.writeHead(200).write('-----BEGIN'));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const sns = createSnsService((_target, init) => {
    requests += 1;
    return fetch(`http://127.0.0.1:${port}`, init);
  }, 50);
  for (const ask of [sns.certificateAt, sns.certificateAt])
    await expect(ask(url)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  expect(requests).toBe(2);
});
