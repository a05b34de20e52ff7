// Decodes the bytes of a request, of gRPC and REST.

import { isUtf8 } from 'node:buffer';
import type { Type } from 'protobufjs';
import protobuf from 'protobufjs/light.js';
import { decode, type Message } from './protoFiles.ts';
import { errorMessage, StatusError, status } from './status.ts';

/**
 * Decodes a request.
 * @param maxBytes a larger one is INVALID_ARGUMENT.
 * @returns the request, or a StatusError when it is too large or unreadable.
 */
export function readRequest(type: Type, bytes: Buffer, maxBytes: number): Message {
  if (bytes.length > maxBytes) {
    const details = `Request payload size exceeds the limit: ${maxBytes} bytes.`;
    return new StatusError(status.INVALID_ARGUMENT, details);
  }
  try {
    return decode(type, new StrictReader(bytes));
  } catch (error) {
    return new StatusError(status.INVALID_ARGUMENT, `The request cannot be read: ${errorMessage(error)}`);
  }
}

/** Refuses invalid UTF-8: protobufjs replaces it, and stored text would differ from sent text. */
class StrictReader extends protobuf.BufferReader {
  /** @throws Error for bytes that are no UTF-8. */
  override string(): string {
    const start = this.pos;
    const text = super.string();
    if (!text.includes('\ufffd')) return text;
    // The text can contain this character itself.
    this.pos = start;
    if (!isUtf8(this.bytes())) throw new Error('a text is not valid UTF-8');
    return text;
  }
}
