// One call of gRPC on a stream of HTTP/2: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md

import { EventEmitter } from 'node:events';
import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2';
import type { Message } from './protoFiles.ts';
import { asStatusError, StatusError, status } from './status.ts';

/** Larger than the largest request that Firestore and Pub/Sub accept, so that the services refuse what is too large. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Before each message: a byte that says whether it is compressed, four for its length. */
const HEAD_BYTES = 5;
const HEADERS = { ':status': 200, 'content-type': 'application/grpc' };

/** What a call carries. */
interface Codec {
  decode(bytes: Buffer): Message;
  encode(message: Message): Uint8Array;
}

interface Events {
  /** A request came. */
  data: [request: Message];
  /** The client sends no more. */
  end: [];
  /** The client went before the call had ended. */
  cancelled: [];
  /** Emitted by the service to end the call with an error. */
  error: [error: unknown];
  /** After `writableNeedDrain`: there is room again. */
  drain: [];
}

/** A call: requests come as events, answers are written. Events of one that has ended come no more. */
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
      // A stream that breaks off ends, too.
      if (!this.#hasEnded && !stream.aborted) this.emit('end');
    });
    stream.on('drain', () => this.emit('drain'));
    // What breaks a stream also closes it.
    stream.on('error', () => {});
    stream.on('close', () => {
      if (this.#hasEnded) return;
      this.#hasEnded = true;
      this.emit('cancelled');
    });
  }

  /** Whether the client has not taken yet what was written. */
  get writableNeedDrain(): boolean {
    return this.#stream.writableNeedDrain;
  }

  /** @param answer a message, or its bytes. Nothing happens when the call has ended. */
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
    // The event that says that a stream is closed comes later.
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

  /** Has what is written until the next tick sent together. */
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
 * Cuts what arrives into messages.
 * @throws StatusError for one that cannot be read.
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
      needed = HEAD_BYTES + sizeOf(bytes);
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

function sizeOf(head: Buffer): number {
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
