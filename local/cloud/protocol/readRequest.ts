// Reads the bytes of a request, whichever way they came.

import type { Type } from 'protobufjs';
import { errorMessage } from '../../../shared/errors.ts';
import { decode, type Message } from './protoFiles.ts';
import { StatusError, status } from './status.ts';
import { StrictReader } from './strictReader.ts';

/**
 * Decodes a request.
 * @param maxBytes a larger one is INVALID_ARGUMENT.
 * @returns the request; for one that is too large or unreadable the error.
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
