// Checks a document of which a view reads only some fields.

import type { RawDocument } from '../../contract/rawDocuments.ts';
import { checkVersion, type DocumentType } from '../../core/schema/documentType.ts';
import { toUnreadable, type Unreadable } from '../../core/schema/readable.ts';
import { numberAt, textAt } from './fieldAt.ts';

/** The field that a view has to read in addition to its own. */
export const VERSION_FIELD = 'schemaVersion';

/**
 * The fault of a document, as far as its version and one field show it; undefined without a fault.
 * `VERSION_FIELD` must have been read.
 * @param text a field that contains a text in every document of the current version.
 */
export function partialFault<T>(
  { path, fields }: RawDocument,
  { name, version, oldest }: Pick<DocumentType<T>, 'name' | 'version' | 'oldest'>,
  text: string,
): Unreadable | undefined {
  const found = numberAt(fields, VERSION_FIELD);
  try {
    checkVersion(found, { name, version, oldest }, path);
  } catch (error) {
    return toUnreadable(error, path);
  }
  if (found !== version || textAt(fields, text) !== null) return undefined;
  return {
    path,
    code: 'DOCUMENT_INVALID',
    message: `${path} is not a valid ${name}: ${text}: must be a text`,
  };
}
