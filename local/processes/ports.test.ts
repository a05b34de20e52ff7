import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/ownConfig.ts';
import { acceptsConnections, answersHttp, canConnect, claimPort, freePorts, isFree } from './ports.ts';

let server: Server | undefined;

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

function listen(handler: Parameters<typeof createServer>[1]): Promise<number> {
  const created = createServer({}, handler);
  server = created;
  return new Promise((resolve) => {
    created.listen(0, '127.0.0.1', () => resolve((created.address() as AddressInfo).port));
  });
}

describe('ports', () => {
  it('are free and never given twice', async () => {
    const ports = [...(await freePorts(5)), ...(await freePorts(5))];
    expect(new Set(ports).size).toBe(10);
    expect(await Promise.all(ports.map(isFree))).not.toContain(false);
  });

  it('are claimed for other processes, too, until three to six minutes later', () => {
    const folder = temporaryFolder();
    const start = 1_800_000_000_000;
    const minutes = [0, 0, 3, 6, 6, 9, 12];
    expect(minutes.map((minute) => claimPort(25_000, start + minute * 60_000, folder))).toEqual([
      true,
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
    expect(claimPort(25_001, start, folder)).toBe(true);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it('are not free while something listens', async () => {
    const port = await listen(() => {});
    expect(await isFree(port)).toBe(false);
    expect(await acceptsConnections(port)).toBe(true);
  });

  it('answer with any HTTP status', async () => {
    const port = await listen((_request, response) => response.writeHead(500).end());
    expect(await answersHttp(`http://127.0.0.1:${port}/`, 60_000)).toBe(true);
  });

  it('do not answer when the server stays silent, but accept connections', async () => {
    const port = await listen(() => {});
    expect(await answersHttp(`http://127.0.0.1:${port}/`, 50)).toBe(false);
    expect(await canConnect(`127.0.0.1:${port}`, 60_000)).toBe(true);
    expect(await canConnect(`localhost:${port}`, 60_000)).toBe(true);
    expect(await canConnect(`127.0.0.1:${port}`, 60_000, AbortSignal.abort())).toBe(false);
  });

  it('do not answer when nothing listens', async () => {
    const [port = 0] = await freePorts(1);
    expect(await answersHttp(`http://127.0.0.1:${port}/`, 60_000)).toBe(false);
    expect(await acceptsConnections(port)).toBe(false);
  });
});
