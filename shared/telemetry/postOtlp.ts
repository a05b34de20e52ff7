// Sends one OTLP request to a target, and reads its answer: a refusal, a time to wait, or a partial success.

import type { IncomingMessage } from 'node:http';
import { secondsText } from '../text/amounts.ts';

// An import reads every export of a built-in module, and some getters of `http` load the whole of undici: 35
// ms of a start.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');

const REQUEST_MS = 1_800;
/** The longest time for which a target can refuse requests. */
const MAX_PAUSE_MS = 300_000;
/** The answer of a partial success is short; the rest of longer ones is not kept. */
const MAX_ANSWER_BYTES = 16_384;

/** A place that takes OTLP over HTTP. */
export interface Target {
  /** The address without the signal's path: `https://telemetry.googleapis.com`. */
  url: string;
  /** Headers of each request, including those of the authentication. */
  headers(): Promise<Record<string, string>>;
}

/** Keeps one connection per target, follows no redirects, takes half of the CPU time of `fetch`. */
const AGENTS = {
  'http:': { request: http.request, agent: new http.Agent({ keepAlive: true }) },
  'https:': { request: https.request, agent: new https.Agent({ keepAlive: true }) },
} as const;

/**
 * Sends a request. @throws Error if the target refused all of it, did not answer within 1.8 s, or asked for a
 * pause that has not ended (`Retry-After`, at most 5 minutes).
 */
type Send = (target: Target, kind: 'traces' | 'metrics', body: Uint8Array) => Promise<void>;

/** Creates a sender. @param warn receives a line for spans or points that a target rejected. */
export function createSender(warn: (fields: object, message: string) => void): Send {
  const pausedUntil = new Map<string, number>();
  return async (target, kind, body) => {
    if ((pausedUntil.get(target.url) ?? 0) > Date.now()) throw new Error('the target asked for a pause');
    const { status, retryAfter, answer } = await post(target, kind, body);
    if (status >= 200 && status < 300) {
      // Most answers are empty, so the reader is loaded for the others only.
      if (answer.length === 0) return;
      const { partialSuccess } = await import('./partialSuccess.ts');
      const { rejected, reason } = partialSuccess(answer);
      if (rejected > 0) warn({ rejected, reason }, `a target rejected a part of the ${kind}`);
      return;
    }
    pausedUntil.set(target.url, Date.now() + pauseMs(retryAfter));
    throw new Error(`the target answered ${status}`);
  };
}

/** An answer with the start of its body. */
interface Answer {
  status: number;
  retryAfter: string | undefined;
  answer: Buffer;
}

async function post(target: Target, kind: 'traces' | 'metrics', body: Uint8Array): Promise<Answer> {
  const headers = {
    ...(await target.headers()),
    'content-type': 'application/x-protobuf',
    'content-length': body.length,
  };
  const { protocol, hostname, port, pathname } = new URL(target.url);
  const path = `${pathname.replace(/\/$/, '')}/v1/${kind}`;
  const { request, agent } = AGENTS[protocol === 'http:' ? 'http:' : 'https:'];
  return new Promise((resolve, reject) => {
    // Options cost less than an address.
    const host = hostname.replaceAll(/[[\]]/g, '');
    const read = (response: IncomingMessage) => {
      const pieces: Buffer[] = [];
      let size = 0;
      response.on('data', (piece: Buffer) => {
        size += piece.length;
        if (size <= MAX_ANSWER_BYTES) pieces.push(piece);
      });
      response.on('error', reject).on('end', () => {
        const { statusCode: status = 0, headers: answered } = response;
        resolve({ status, retryAfter: answered['retry-after'], answer: Buffer.concat(pieces) });
      });
    };
    const sent = request({ method: 'POST', hostname: host, port, path, headers, agent }, read);
    const late = () => sent.destroy(new Error(`no answer within ${secondsText(REQUEST_MS)}`));
    const timer = setTimeout(late, REQUEST_MS);
    sent.on('error', reject).on('close', () => clearTimeout(timer));
    sent.end(body);
  });
}

/** `Retry-After` in seconds or as a date, in milliseconds; 0 if it is absent or neither. */
function pauseMs(retryAfter = ''): number {
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - Date.now();
  return Math.min(Math.max(0, ms || 0), MAX_PAUSE_MS);
}
