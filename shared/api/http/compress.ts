// Compresses responses with brotli or gzip, as the client accepts. Each event of a stream is sent at once.

import { Duplex } from 'node:stream';
import { promisify } from 'node:util';
import {
  type BrotliOptions,
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  type ZlibOptions,
} from 'node:zlib';
import type { MiddlewareHandler } from 'hono';

/** A content coding that responses can have. */
export type Encoding = 'br' | 'gzip';

/** Bytes below which a compressed response is not smaller by a network packet. */
const MIN_BYTES = 1_000;
/** Quality of brotli, from 0 to 11: smaller results than gzip's default, as fast. */
const QUALITY = 4;
/** Exponent of the bytes that a stream of events refers back to: two live texts of 20 kB and more. */
const STREAM_WINDOW = 16;

const TEXT = /^(?:text\/|application\/(?:[\w.-]+\+)?json)/;
const EVENTS = /^text\/event-stream/;

const compressText: Record<Encoding, (body: Uint8Array<ArrayBuffer>) => Promise<Buffer>> = {
  br: (body) =>
    promisify<Uint8Array, BrotliOptions, Buffer>(brotliCompress)(body, brotliOptions(body.length)),
  gzip: promisify<Uint8Array, Buffer>(gzip),
};

const compressEvents: Record<Encoding, () => Duplex> = {
  br: () =>
    createBrotliCompress({
      flush: constants.BROTLI_OPERATION_FLUSH,
      params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_LGWIN]: STREAM_WINDOW },
    }),
  gzip: () => createGzip({ flush: constants.Z_SYNC_FLUSH } satisfies ZlibOptions),
};

function brotliOptions(bytes: number): BrotliOptions {
  return {
    params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: bytes },
  };
}

/**
 * The coding that a client prefers among those offered; undefined for none. @param header `Accept-Encoding`.
 */
export function acceptedEncoding(
  header: string | null | undefined,
  offered: readonly Encoding[] = ['br', 'gzip'],
): Encoding | undefined {
  const weights = new Map(
    (header ?? '').split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
      const weight = parameters.find((text) => text.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  const weightOf = (encoding: Encoding) => weights.get(encoding) ?? weights.get('*') ?? 0;
  // The sort is stable: of equal weights the first offered coding is used.
  const [best] = offered.filter((one) => weightOf(one) > 0).sort((a, b) => weightOf(b) - weightOf(a));
  return best;
}

/** Compresses text responses that have no coding yet. Responses to HEAD and short ones stay as they are. */
export function compressResponses(): MiddlewareHandler {
  return async (context, next) => {
    await next();
    const { res: response, req } = context;
    const type = response.headers.get('content-type') ?? '';
    if (response.body === null || req.method === 'HEAD' || !TEXT.test(type)) return;
    if (response.headers.has('content-encoding')) return;
    if (!response.headers.has('vary')) response.headers.set('Vary', 'Accept-Encoding');
    const isStream = EVENTS.test(type);
    // An open stream keeps its compressor in memory, and gzip's is smaller.
    const encoding = acceptedEncoding(
      req.header('accept-encoding'),
      isStream ? ['gzip', 'br'] : ['br', 'gzip'],
    );
    if (encoding === undefined) return;
    const body = isStream
      ? compressEventBody(response.body, encoding)
      : await compressTextBody(response, encoding);
    context.res = new Response(body.content, response);
    if (body.isCompressed) context.res.headers.set('Content-Encoding', encoding);
    context.res.headers.delete('Content-Length');
  };
}

interface Body {
  /** The bytes to send. */
  content: ReadableStream | Uint8Array<ArrayBuffer>;
  /** False for a body that is sent as it was. */
  isCompressed: boolean;
}

function compressEventBody(body: ReadableStream, encoding: Encoding): Body {
  const { readable, writable } = Duplex.toWeb(compressEvents[encoding]());
  return { content: body.pipeThrough({ readable, writable } as TransformStream), isCompressed: true };
}

async function compressTextBody(response: Response, encoding: Encoding): Promise<Body> {
  const whole = new Uint8Array(await response.arrayBuffer());
  if (whole.length < MIN_BYTES) return { content: whole, isCompressed: false };
  const content = new Uint8Array(await compressText[encoding](whole));
  return { content, isCompressed: true };
}
