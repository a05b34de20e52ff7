// Decodes the bytes of a request, of gRPC and REST.

import type { Type } from 'protobufjs';
import { errorMessage } from '../../../shared/errors.ts';
import { decode, type Message } from './protoFiles.ts';
import { StatusError, status } from './status.ts';
import { StrictReader } from './strictReader.ts';

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
