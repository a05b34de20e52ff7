// Parses a PATH argument in the notation of Firestore's console.

import { idFault, isDocumentPath } from '../../shared/store/storable.ts';
import { UsageError } from '../process/usageError.ts';

/** A path, and whether it names a collection or a document. */
interface DatabasePath {
  kind: 'collection' | 'document';
  path: string;
}

/**
 * @param argument alternating collection names and document ids: `sessions`, `sessions/ID`,
 *   `sessions/ID/timeline`. One leading and one trailing `/` are ignored, because the console copies paths
 *   with them.
 * @throws UsageError that names the invalid segment.
 */
export function readPath(argument: string): DatabasePath {
  const path = argument.replace(/^\//, '').replace(/\/$/, '');
  for (const [index, segment] of path.split('/').entries()) {
    const fault = idFault(segment);
    if (fault === undefined) continue;
    throw new UsageError(
      `PATH ${showPath(argument)}: ${path === '' ? 'it' : `segment ${index + 1}`} ${fault}; expected collection/document/collection/…, for example sessions/ID/timeline`,
    );
  }
  return { kind: isDocumentPath(path) ? 'document' : 'collection', path };
}

/**
 * The path of a document.
 * @throws UsageError as `readPath` does, and for the path of a collection.
 */
export function readDocumentPath(argument: string): string {
  const { kind, path } = readPath(argument);
  if (kind === 'document') return path;
  throw new UsageError(
    `PATH ${showPath(argument)} leads to a collection: give a document, ${path}/ID, or list the ids with \`inquest db ls ${path}\``,
  );
}

/** Checks the value of an option that is a document id. @throws UsageError when it is no valid id. */
export function checkId(option: string, argument: string): void {
  const fault = argument.includes('/') ? 'is a path' : idFault(argument);
  if (fault === undefined) return;
  throw new UsageError(
    `${option} ${showPath(argument)}: it ${fault}; expected the id of a document, its last segment`,
  );
}

const showPath = (argument: string): string => JSON.stringify(argument.slice(0, 200));
