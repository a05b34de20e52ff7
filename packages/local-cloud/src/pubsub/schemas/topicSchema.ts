// The schema of a topic: messages that do not match it are refused.

import type { Message } from '../../protocol/protoFiles.ts';
import { failedPrecondition, notFound, unimplemented } from '../fields/errors.ts';
import { checkName } from '../fields/names.ts';
import type { NewMessage } from '../fields/publishChecks.ts';
import type { SchemaTable } from '../store/schemaTable.ts';
import { checkAvroMessage } from './avro.ts';
import { checkEncoding } from './schemas.ts';

/**
 * Checks the schema settings of a topic.
 * @throws StatusError NOT_FOUND, INVALID_ARGUMENT, or UNIMPLEMENTED for revisions.
 */
export function checkSchemaSettings(schemas: SchemaTable, settings: Message): void {
  const { schema, encoding, firstRevisionId, lastRevisionId } = settings;
  if (firstRevisionId || lastRevisionId) throw unimplemented('revisions of schemas');
  if (schemas.get(checkName('schemas', schema)) === undefined) throw notFound('Schema could not be found');
  checkEncoding(encoding);
}

/**
 * Validates messages against the schema of their topic, and adds the attributes that name the schema.
 * @throws StatusError INVALID_ARGUMENT, or FAILED_PRECONDITION when the schema was deleted.
 */
export function checkAgainstSchema(
  schemas: SchemaTable,
  settings: Message,
  messages: NewMessage[],
): NewMessage[] {
  const schema = schemas.get(settings.schema);
  if (schema === undefined)
    throw failedPrecondition(`The schema ${settings.schema} of the topic was deleted`);
  const encoding = checkEncoding(settings.encoding);
  return messages.map((message) => {
    checkAvroMessage(schema.definition, message.data, encoding);
    const attributes = {
      ...message.attributes,
      googclient_schemaencoding: encoding,
      googclient_schemaname: schema.name,
      googclient_schemarevisionid: schema.revisionId,
    };
    return { ...message, attributes };
  });
}
