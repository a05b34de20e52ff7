// Reads the PATH of a command as Firestore's console writes it.

import { idFault, isDocumentPath } from '../../shared/store/storable.ts';
import { UsageError } from '../process/usageError.ts';

/** What a path leads to. */
export interface DatabasePath {
  kind: 'collection' | 'document';
  path: string;
}

/**
 * @param argument names of collections and ids of documents in turn: `sessions`, `sessions/ID`, `sessions/ID/timeline`.
 *   One `/` before and one behind it are ignored: the console copies paths with one.
 * @throws UsageError that names the segment which can be neither.
 */
export function readPath(argument: string): DatabasePath {
  const path = argument.replace(/^\//, '').replace(/\/$/, '');
  for (const [index, segment] of path.split('/').entries()) {
    const fault = idFault(segment);
    if (fault === undefined) continue;
    throw new UsageError(
      `PATH ${shown(argument)}: ${path === '' ? 'it' : `segment ${index + 1}`} ${fault}; expected collection/document/collection/…, for example sessions/ID/timeline`,
    );
  }
  return { kind: isDocumentPath(path) ? 'document' : 'collection', path };
}

/**
 * The path of a document.
 * @throws UsageError like `readPath`, and when it leads to a collection.
 */
export function readDocumentPath(argument: string): string {
  const { kind, path } = readPath(argument);
  if (kind === 'document') return path;
  throw new UsageError(
    `PATH ${shown(argument)} leads to a collection: give a document, ${path}/ID, or list the ids with \`inquest db ls ${path}\``,
  );
}

/** @throws UsageError when no document can have the id that an option gives. */
export function checkId(option: string, argument: string): void {
  const fault = argument.includes('/') ? 'is a path' : idFault(argument);
  if (fault === undefined) return;
  throw new UsageError(
    `${option} ${shown(argument)}: it ${fault}; expected the id of a document, its last segment`,
  );
}

const shown = (argument: string): string => JSON.stringify(argument.slice(0, 200));
