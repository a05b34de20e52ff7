// Avro schemas: parses definitions and validates messages.

import avro from 'avsc';
import { invalid } from '../fields/errors.ts';

/** The encoding of messages. */
export type Encoding = 'JSON' | 'BINARY';

/** Parsed schemas by definition. Each publish needs the schema of its topic. */
const parsed = new Map<string, avro.Type>();
const MAX_PARSED = 100;

/** @throws StatusError INVALID_ARGUMENT when the definition is no Avro schema. */
export function parseAvro(definition: string): avro.Type {
  let type = parsed.get(definition);
  if (type === undefined) {
    try {
      type = avro.Type.forSchema(JSON.parse(definition));
    } catch (error) {
      throw invalid(`Could not parse schema definition: ${describeAvroError(error)}`);
    }
    if (parsed.size >= MAX_PARSED) parsed.clear();
    parsed.set(definition, type);
  }
  return type;
}

/** @throws StatusError INVALID_ARGUMENT when a message does not match a schema. */
export function checkAvroMessage(definition: string, data: Uint8Array, encoding: Encoding): void {
  const type = parseAvro(definition);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  try {
    if (encoding === 'JSON') type.fromString(bytes.toString());
    else type.fromBuffer(bytes);
  } catch (error) {
    const form = encoding === 'JSON' ? 'JSON' : 'binary';
    throw invalid(`Could not parse ${form} Avro message: ${describeAvroError(error)}`);
  }
}

const describeAvroError = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
