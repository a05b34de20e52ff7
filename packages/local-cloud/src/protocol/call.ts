// One call of gRPC on a stream of HTTP/2: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md

import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Message } from './protoFiles.ts';
import { asStatusError, StatusError, status } from './status.ts';

/** Larger than Firestore's and Pub/Sub's limits, so that the services reject larger requests. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Before each message: a compression flag of one byte, and the length in four bytes. */
const HEAD_BYTES = 5;
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** Decodes requests and encodes responses. */
interface Codec {
  /** The request in a frame of gRPC, without the frame's header. */
  decode(bytes: Buffer): Message;
  /** The bytes of a response, without the frame's header. */
  encode(message: Message): Uint8Array;
}

interface Events {
  /** A request. */
  data: [request: Message];
  /** The client has ended its side. */
  end: [];
  /** The client has disconnected or cancelled before the call ended. */
  cancelled: [];
  /** Emitted by the service to end the call with an error. */
  error: [error: unknown];
  /** After `writableNeedDrain`: the call accepts more. */
  drain: [];
}

/** A call: emits requests as events, and writes responses. Emits nothing after its end. */
export class Call extends EventEmitter<Events> {
  readonly #stream: ServerHttp2Stream;
  readonly #codec: Codec;
  #hasEnded = false;
  #isCorked = false;

  constructor(stream: ServerHttp2Stream, codec: Codec) {
    super();
    this.#stream = stream;
    this.#codec = codec;
    this.on('error', (error) => this.#fail(asStatusError(error)));
    const take = messageReader((bytes) => this.emit('data', codec.decode(bytes)));
    stream.on('data', (chunk: Buffer) => {
      if (this.#hasEnded) return;
      try {
        take(chunk);
      } catch (error) {
        this.emit('error', error);
      }
    });
    stream.on('end', () => {
      // An aborted stream also ends.
      if (!this.#hasEnded && !stream.aborted) this.emit('end');
    });
    stream.on('drain', () => this.emit('drain'));
    // A close event follows every error.
    stream.on('error', () => {});
    stream.on('close', () => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.emit('cancelled');
    });
  }

  /** Whether written responses wait for the client to read. */
  get writableNeedDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /**
   * Writes a response. Without effect after the end of the call.
   * @param answer a message, or its encoded bytes.
   */
  write(answer: Message): void {
    if (this.#hasEnded || this.#stream.closed) return;
    const bytes = answer instanceof Uint8Array ? answer : this.#codec.encode(answer);
    this.#respond();
    const head = Buffer.allocUnsafe(HEAD_BYTES);
    head.writeUInt8(0);
    head.writeUInt32BE(bytes.length, 1);
    this.#cork();
    this.#stream.write(head);
    this.#stream.write(bytes);
  }

  /** Ends the call successfully. */
  end(): void {
    this.#finish({ 'grpc-status': status.OK });
  }

  #fail({ code, details, trailers }: StatusError): void {
    this.#finish({ 'grpc-status': code, 'grpc-message': encodeURI(details.toWellFormed()), ...trailers });
  }

  #finish(trailers: OutgoingHttpHeaders): void {
    // The close event of a closed stream can still be pending.
    if (this.#hasEnded || this.#stream.closed) return;
    this.#hasEnded = true;
    if (this.#stream.headersSent) {
      this.#stream.once('wantTrailers', () => this.#stream.sendTrailers(trailers));
      this.#stream.end();
    } else {
      this.#stream.respond({ ...HEADERS, ...trailers }, { endStream: true });
    }
  }

  #respond(): void {
    if (!this.#stream.headersSent) this.#stream.respond(HEADERS, { waitForTrailers: true });
  }

  /** Sends all writes until the next tick together. */
  #cork(): void {
    if (this.#isCorked) return;
    this.#isCorked = true;
    this.#stream.cork();
    process.nextTick(() => {
      this.#isCorked = false;
      this.#stream.uncork();
    });
  }
}

/**
 * Splits received chunks into messages.
 * @throws StatusError for a compressed or too large message.
 */
function messageReader(onMessage: (bytes: Buffer) => void): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = HEAD_BYTES;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= needed) {
      const bytes = chunks.length === 1 ? chunk : Buffer.concat(chunks);
      needed = HEAD_BYTES + readFrameSize(bytes);
      if (length < needed) {
        chunks = [bytes];
        return;
      }
      chunk = bytes.subarray(needed);
      chunks = chunk.length > 0 ? [chunk] : [];
      length = chunk.length;
      const message = bytes.subarray(HEAD_BYTES, needed);
      needed = HEAD_BYTES;
      onMessage(message);
    }
  };
}

function readFrameSize(head: Buffer): number {
  if (head.readUInt8() !== 0) {
    throw new StatusError(status.UNIMPLEMENTED, 'the local cloud does not have compressed messages');
  }
  const size = head.readUInt32BE(1);
  if (size <= MAX_MESSAGE_BYTES) return size;
  throw new StatusError(
    status.RESOURCE_EXHAUSTED,
    `Received message larger than max (${size} vs ${MAX_MESSAGE_BYTES})`,
  );
}
