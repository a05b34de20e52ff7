// A whole system opens nothing to the network, by the kernel's table (only Linux).

import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startCommand } from '../support/cli.ts';
import { createDataPath } from '../support/ownConfig.ts';
import { ownEmulators } from '../support/ownEmulators.ts';
import { marked } from '../support/processes.ts';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const LISTEN = '0A';
/** 127.0.0.1, ::1 and ::ffff:127.0.0.1, in the byte order of the tables. */
const LOOPBACK = ['0100007F', '00000000000000000000000001000000', '0000000000000000FFFF00000100007F'];

/** Local addresses, in hexadecimal, that a process listens on. */
function listeningAddresses(pid: number): string[] {
  const links = readdirSync(`/proc/${pid}/fd`).flatMap((fd) => linkOf(`/proc/${pid}/fd/${fd}`));
  const sockets = new Set(links.map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]));
  return TABLES.flatMap((table) => readFileSync(table, 'utf8').trim().split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter((fields) => fields[3] === LISTEN && sockets.has(fields[9]))
    .map((fields) => fields[1] ?? '');
}

/** Empty when it was closed meanwhile. */
function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

const hasTables = TABLES.every((table) => existsSync(table));

it.skipIf(!hasTables)(
  'all processes of start listen on 127.0.0.1 only, and the API gets its own variables only (needs /proc)',
  async () => {
    const { env, running } = marked();
    const foreign = { OTHER_TOKEN: 'planted' };
    const command = startCommand(['start', '--data', createDataPath()], {
      ...env,
      ...ownEmulators,
      ...foreign,
    });
    await command.line(/^Ctrl-C stops everything/);
    const addresses = running().flatMap(({ pid }) => listeningAddresses(pid));
    const places = addresses.map((address) => address.split(':'));
    expect(places.map(([ip = '']) => ip).filter((ip) => !LOOPBACK.includes(ip))).toEqual([]);
    // All printed endpoints: Firestore, Pub/Sub, six functions, scripted Gemini, API.
    const printed = command.stdout.flatMap((line) => /127\.0\.0\.1:(\d+)/.exec(line)?.[1] ?? []);
    const ports = new Set(places.map(([, port = '']) => `${Number.parseInt(port, 16)}`));
    expect([...new Set(printed)].filter((port) => !ports.has(port))).toEqual([]);
    expect(new Set(printed).size).toBe(10);
    const [api] = running().filter(
      ({ command: line }) => /\/api\.ts/.test(line) && !line.includes('processGuard.ts'),
    );
    expect(readFileSync(`/proc/${api?.pid}/environ`, 'utf8')).not.toContain('OTHER_TOKEN');
    command.kill('SIGINT');
    expect((await command.ended).code).toBe(130);
  },
);
