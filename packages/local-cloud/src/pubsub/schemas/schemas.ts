// The RPCs of google.pubsub.v1.SchemaService: Avro schemas of one revision each.

import { randomBytes } from 'node:crypto';
import type { Message } from '../../protocol/protoFiles.ts';
import type { Rpc } from '../../protocol/services.ts';
import { alreadyExists, invalid, notFound, unimplemented } from '../fields/errors.ts';
import { checkName, nameRange } from '../fields/names.ts';
import type { StoredSchema } from '../store/schemaTable.ts';
import type { PubsubState } from '../store/state.ts';
import { checkAvroMessage, type Encoding, parseAvro } from './avro.ts';

const REVISION_BYTES = 4;

/** The RPCs by name. */
export function schemaRpcs(state: PubsubState): Record<string, Rpc> {
  const { database, schemas } = state;
  const named = (name: string | undefined): StoredSchema => {
    const found = schemas.get(checkName('schemas', name));
    if (found === undefined) throw notFound('Schema could not be found');
    return found;
  };

  return {
    CreateSchema: {
      unary({ parent, schema, schemaId }) {
        const name = checkName('schemas', `${parent ?? ''}/schemas/${schemaId ?? ''}`);
        const definition = checkSchema(schema);
        const revisionId = randomBytes(REVISION_BYTES).toString('hex');
        const stored = { name, definition, revisionId, createMs: state.nowMs() };
        if (!database.atomically(() => schemas.create(stored))) {
          throw alreadyExists('Schema already exists');
        }
        return toSchemaMessage(named(name), 'FULL');
      },
    },
    // Returns the definition unless the request has another view.
    GetSchema: { unary: ({ name, view = 'FULL' }) => toSchemaMessage(named(name), view) },
    ListSchemas: {
      unary({ parent, view, ...page }) {
        const { items, nextPageToken } = schemas.list({ ...page, ...nameRange('schemas', parent) });
        return { schemas: items.map((schema) => toSchemaMessage(schema, view)), nextPageToken };
      },
    },
    DeleteSchema: {
      unary({ name }) {
        const found = named(name);
        database.atomically(() => schemas.delete(found.name));
        return {};
      },
    },
    ValidateSchema: {
      unary({ schema }) {
        checkSchema(schema);
        return {};
      },
    },
    ValidateMessage: {
      unary({ name, schema, message, encoding }) {
        const definition = name ? named(name).definition : checkSchema(schema);
        checkAvroMessage(definition, message ?? Buffer.of(), checkEncoding(encoding));
        return {};
      },
    },
  };
}

/** @throws StatusError INVALID_ARGUMENT */
export function checkEncoding(encoding: string | undefined): Encoding {
  if (encoding === 'JSON' || encoding === 'BINARY') return encoding;
  throw invalid(`The encoding is ${encoding ?? 'not set'}: it must be JSON or BINARY`);
}

/** @throws StatusError INVALID_ARGUMENT, or UNIMPLEMENTED for a schema that is not Avro. */
function checkSchema(schema: Message): string {
  if (schema?.type === 'PROTOCOL_BUFFER') throw unimplemented('schemas of protocol buffers');
  if (schema?.type !== 'AVRO') throw invalid('Invalid schema type');
  parseAvro(schema.definition ?? '');
  return schema.definition;
}

const toSchemaMessage = (
  { name, definition, revisionId, createMs }: StoredSchema,
  view: string,
): Message => ({
  name,
  type: 'AVRO',
  definition: view === 'FULL' ? definition : '',
  revisionId,
  revisionCreateTime: { seconds: String(Math.floor(createMs / 1000)), nanos: (createMs % 1000) * 1e6 },
});
