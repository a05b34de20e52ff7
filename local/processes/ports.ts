// Ports on this machine: finds free ones, and probes whether a server answers.

import { randomInt } from 'node:crypto';
import { createSocket, type Socket } from 'node:dgram';
import { closeSync, existsSync, mkdirSync, openSync, readdirSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

/**
 * Below the ranges of ports for outgoing connections (Linux from 32768, macOS from 49152): a JVM needs
 * seconds until it listens, and an outgoing connection could take the same port meanwhile.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const ATTEMPTS = 1_000;
/** Empty files for ports given to this user's processes, which possibly do not listen yet. */
const CLAIMS = join(tmpdir(), `inquest-ports-${userInfo().uid}`);
/** A claim counts for one to two of these periods. The slowest start of an emulator takes less. */
const CLAIM_PERIOD_MS = 180_000;

/**
 * TCP ports of 127.0.0.1 without a listener. No other call of this user's processes returns them for the next
 * minutes: use them soon.
 * @throws Error when 1,000 attempts do not find `count` free ports.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS && ports.length < count; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if ((await isFree(port)) && claimPort(port, Date.now())) ports.push(port);
  }
  if (ports.length < count) throw new Error(`no ${count} free ports between ${FIRST_PORT} and ${LAST_PORT}`);
  return ports;
}

/**
 * Claims a port for the caller, across processes: the file of a claim can be created only once.
 * @param now milliseconds since 1970.
 * @returns false when the port is claimed.
 */
export function claimPort(port: number, now: number, folder = CLAIMS): boolean {
  const period = Math.floor(now / CLAIM_PERIOD_MS);
  const [current, before] = [`${period}`, `${period - 1}`];
  if (existsSync(join(folder, before, `${port}`))) return false;
  mkdirSync(join(folder, current), { recursive: true });
  for (const old of readdirSync(folder))
    if (Number(old) < period - 1) rmSync(join(folder, old), { recursive: true, force: true });
  try {
    closeSync(openSync(join(folder, current, `${port}`), 'wx'));
    return true;
  } catch {
    return false;
  }
}

/** Whether a port of 127.0.0.1 has no listener. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/**
 * Holds a port number for a listener that starts later: as a UDP port, which the operating system gives to
 * one process and takes back when it ends.
 * @returns the socket, which keeps no process running; undefined while another socket holds it.
 */
export function holdPort(port: number): Promise<Pick<Socket, 'close'> | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => resolve(undefined));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(socket));
  });
}

/** Whether a server answers a GET at `url` within `timeoutMs`, with any status. */
export async function answersHttp(url: string, timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, { signal: signal ? AbortSignal.any([signal, limit]) : limit });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

/** The TCP port of a server that listens. @throws Error when it does not listen on a port. */
export function boundPort(server: Pick<Server, 'address'>): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address.port;
}

/** Whether a server accepts connections on a port of 127.0.0.1. */
export function acceptsConnections(port: number): Promise<boolean> {
  return canConnect(`127.0.0.1:${port}`);
}

/**
 * Whether a server accepts connections at an address, for any protocol.
 * @param address `host:port`, with an IPv6 address in brackets.
 * @param timeoutMs default: the limit of the operating system.
 */
export function canConnect(address: string, timeoutMs?: number, signal?: AbortSignal): Promise<boolean> {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(address) ?? [];
  const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)];
  const ends = AbortSignal.any([...limit, ...(signal ? [signal] : [])]);
  return new Promise((resolve) => {
    const socket = connect(Number(port), host);
    const settle = (result: boolean) => () => {
      socket.destroy();
      resolve(result);
    };
    socket.once('error', settle(false));
    socket.once('connect', settle(true));
    if (ends.aborted) settle(false)();
    ends.addEventListener('abort', settle(false), { once: true });
  });
}
