// Ports on this machine: which are free, and whether something answers on one.

import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

/**
 * Ports are drawn from below the ranges that systems give to outgoing connections (Linux from 32768, macOS from 49152):
 * between finding a port and a JVM listening on it pass seconds, in which a connection could be given the same one.
 */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const ATTEMPTS = 1_000;
/** Ports given out by this process, whose users may not listen yet. */
const given = new Set<number>();

/**
 * TCP ports of 127.0.0.1 that nothing listens on; never the same one twice. They are not reserved: use them soon.
 * @throws Error when `count` free ports were not found in a thousand tries.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let attempt = 0; attempt < ATTEMPTS && ports.length < count; attempt++) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  if (ports.length < count) throw new Error(`no ${count} free ports between ${FIRST_PORT} and ${LAST_PORT}`);
  return ports;
}

/** Whether nothing listens on a port of 127.0.0.1. */
export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Whether something answers a GET at `url` within `timeoutMs`; any status is an answer. */
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

/** Whether something accepts connections on a port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return connects(`127.0.0.1:${port}`);
}

/**
 * Whether something accepts connections at a place, whatever protocol it speaks.
 * @param place `host:port`; an IPv6 address stands in brackets.
 * @param timeoutMs how long it may take to accept; no limit of ours when absent.
 */
export function connects(place: string, timeoutMs?: number, signal?: AbortSignal): Promise<boolean> {
  const [, host = '', port] = /^\[?(.*?)\]?:(\d+)$/.exec(place) ?? [];
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
