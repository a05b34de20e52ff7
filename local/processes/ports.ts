// Ports on this machine: finds free ones, and probes whether a server answers.

import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Below the ranges of ports for outgoing connections (Linux from 32768, macOS from 49152): a JVM needs seconds until it
 * listens, and an outgoing connection could take the same port meanwhile.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const ATTEMPTS = 1_000;
/** Ports that this process has returned. Their users do not necessarily listen yet. */
const returned = new Set<number>();

/**
 * TCP ports of 127.0.0.1 without a listener. Each call returns other ports. They are not reserved: use them soon.
 * @throws Error when 1,000 attempts do not find `count` free ports.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS && ports.length < count; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (returned.has(port) || !(await isFree(port))) continue;
    returned.add(port);
    ports.push(port);
  }
  if (ports.length < count) throw new Error(`no ${count} free ports between ${FIRST_PORT} and ${LAST_PORT}`);
  return ports;
}

/** Whether a port of 127.0.0.1 has no listener. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
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

/** Whether a server accepts connections on a port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return connects(`127.0.0.1:${port}`);
}

/**
 * Whether a server accepts connections at an address, for any protocol.
 * @param address `host:port`, with an IPv6 address in brackets.
 * @param timeoutMs default: the limit of the operating system.
 */
export function connects(address: string, timeoutMs?: number, signal?: AbortSignal): Promise<boolean> {
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
