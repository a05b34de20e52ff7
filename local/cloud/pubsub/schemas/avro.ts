// Avro schemas: what messages of a topic have to look like.

import avro from 'avsc';
import { invalid } from '../fields/errors.ts';

/** How messages are written. */
export type Encoding = 'JSON' | 'BINARY';

/** Schemas read so far, by their definitions: a topic's is asked with each publish. */
const known = new Map<string, avro.Type>();
const MAX_KNOWN = 100;

/** @throws StatusError INVALID_ARGUMENT when it is no Avro schema. */
export function parseAvro(definition: string): avro.Type {
  let type = known.get(definition);
  if (type === undefined) {
    try {
      type = avro.Type.forSchema(JSON.parse(definition));
    } catch (error) {
      throw invalid(`Could not parse schema definition: ${messageOf(error)}`);
    }
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(definition, type);
  }
  return type;
}

/** @throws StatusError INVALID_ARGUMENT when a message is not as a schema demands. */
export function checkAvroMessage(definition: string, data: Uint8Array, encoding: Encoding): void {
  const type = parseAvro(definition);
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength);
  try {
    if (encoding === 'JSON') type.fromString(bytes.toString());
    else type.fromBuffer(bytes);
  } catch (error) {
    const form = encoding === 'JSON' ? 'JSON' : 'binary';
    throw invalid(`Could not parse ${form} Avro message: ${messageOf(error)}`);
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
