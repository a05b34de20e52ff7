// Encodes documents of responses: stored bytes are sent unchanged.

import type { Message } from '../../protocol/protoFiles.ts';
import type { StoredDocument } from '../engine/documentStore.ts';
import { documentWireName } from '../values/names.ts';
import { encodeFields, lookupMessageType } from '../values/protos.ts';
import { toTimestamp } from '../values/time.ts';

/** https://protobuf.dev/programming-guides/encoding/#structure: a field of bytes with the number 1. */
const FIRST_FIELD = (1 << 3) | 2;

/** A whole `Document`. Available bytes of fields are not encoded again: parts are joined. */
export function encodeDocument(document: StoredDocument): Uint8Array {
  const { createTime, updateTime, data = encodeFields(document.fields) } = document;
  const rest = {
    name: documentWireName(document),
    createTime: toTimestamp(createTime),
    updateTime: toTimestamp(updateTime),
  };
  return Buffer.concat([lookupMessageType('Document').encode(rest).finish(), data]);
}

/**
 * An answer whose first field is a document: `RunQueryResponse.document`, `BatchGetDocumentsResponse.found`.
 */
export function encodeAnswer(
  type: 'RunQueryResponse' | 'BatchGetDocumentsResponse',
  document: StoredDocument,
  rest: Message,
): Uint8Array {
  const definition = lookupMessageType(type);
  return definition
    .encode(definition.fromObject(rest))
    .uint32(FIRST_FIELD)
    .bytes(encodeDocument(document))
    .finish();
}
