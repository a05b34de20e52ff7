// Sends an answer or scripted failure: frames, delays, small pieces, cuts, late errors.

import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import { type ApiError, apiError, scriptedError } from './apiError.ts';
import { type Chunk, mergeChunks } from './buildChunks.ts';
import type { Delivery } from './route.ts';
import { type Failure, failureKind } from './script.ts';

interface Pacing {
  /** Milliseconds before the first chunk. */
  firstDelayMs: number;
  /** Milliseconds between two chunks. */
  delayMs: number;
  /** Bytes of each write to the socket. Undefined: one write per chunk. */
  perWrite: number | undefined;
}

/** Waits so many milliseconds; rejects when the signal aborts. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

/** A client's connection. `signal` aborts when it closes; sending then throws an AbortError. */
export interface Wire {
  /** The response of the HTTP server. */
  response: ServerResponse;
  /** The form of the response. */
  delivery: Delivery;
  /** The delays of the script's turn. */
  pacing: Pacing;
  /** Waits; tests replace it. */
  sleep: Sleep;
  /** Aborts when the client closes the connection. */
  signal: AbortSignal;
}

/** Sends an error of the API: its status and a JSON body, also for a streaming request. */
export function sendError(response: ServerResponse, error: ApiError): void {
  response.writeHead(error.httpStatus, { 'content-type': 'application/json; charset=UTF-8' });
  response.end(JSON.stringify(error.body, null, 2));
}

/** Sends all chunks. */
export async function sendAnswer(wire: Wire, chunks: Chunk[]): Promise<void> {
  await wire.sleep(wire.pacing.firstDelayMs, wire.signal);
  if (wire.delivery === 'sse') await sendFrames(wire, chunks);
  else {
    writeHead(wire);
    await writeText(wire, JSON.stringify(wire.delivery === 'array' ? chunks : mergeChunks(chunks), null, 2));
  }
  wire.response.end();
}

/** Sends the events of an interaction, and the mark of their end. */
export async function sendEvents(wire: Wire, events: Chunk[] | AsyncIterable<Chunk>): Promise<void> {
  await wire.sleep(wire.pacing.firstDelayMs, wire.signal);
  await sendFrames(wire, events);
  await writeText(wire, 'event: done\r\ndata: [DONE]\r\n\r\n');
  wire.response.end();
}

/** Sends a scripted failure, after `afterChunks` of the chunks of the turn's answer. */
export async function sendFailure(wire: Wire, failure: Failure, chunks: Chunk[]): Promise<void> {
  const { response } = wire;
  const kind = failureKind(failure);
  const isStream = wire.delivery === 'sse';
  const sent = chunks.slice(0, failure.afterChunks ?? (kind === 'hang' ? 0 : 1));
  switch (kind) {
    case 'status':
      return sendError(response, scriptedError(failure.status ?? 500, failure));
    case 'empty':
      writeHead(wire);
      response.end();
      return;
    case 'blockReason':
      return sendAnswer(wire, [{ promptFeedback: { blockReason: failure.blockReason } }]);
    case 'cut':
      if (isStream) await sendFrames(wire, sent);
      if (isStream && failure.midFrame) {
        const next = frame(chunks[sent.length] ?? {});
        await writeText(wire, next.slice(0, Math.ceil(next.length / 2)));
      }
      await nextTick();
      response.destroy();
      return;
    case 'hang':
      if (isStream && sent.length > 0) await sendFrames(wire, sent);
      if (!wire.signal.aborted) await once(wire.signal, 'abort');
      return;
    case 'midStreamError': {
      const { bare = false, ...error } = failure.midStreamError ?? {
        code: 500,
        status: 'INTERNAL',
        message: '',
      };
      if (!isStream) return sendError(response, { ...apiError(error.code, error.message), body: { error } });
      await sendFrames(wire, sent);
      await writeText(wire, bare ? JSON.stringify({ error }, null, 2) : frame({ error }));
      response.end();
      return;
    }
  }
}

const frame = (chunk: Chunk): string =>
  `${chunk.event_type === undefined ? '' : `event: ${chunk.event_type}\r\n`}data: ${JSON.stringify(chunk)}\r\n\r\n`;

function writeHead(wire: Wire): void {
  const type = wire.delivery === 'sse' ? 'text/event-stream' : 'application/json; charset=UTF-8';
  wire.response.writeHead(200, { 'content-type': type });
  wire.response.flushHeaders();
}

async function sendFrames(wire: Wire, chunks: Chunk[] | AsyncIterable<Chunk>): Promise<void> {
  writeHead(wire);
  let isFirst = true;
  for await (const chunk of chunks) {
    if (!isFirst) await wire.sleep(wire.pacing.delayMs, wire.signal);
    isFirst = false;
    await writeText(wire, frame(chunk));
  }
}

/** Writes pieces of `perWrite` bytes in turns of the event loop: they arrive separately. */
async function writeText(wire: Wire, text: string): Promise<void> {
  const bytes = Buffer.from(text);
  const size = wire.pacing.perWrite ?? bytes.length;
  for (let start = 0; start < bytes.length; start += size) {
    wire.signal.throwIfAborted();
    wire.response.write(bytes.subarray(start, start + size));
    await nextTick();
  }
}
