// Reads the id of a session from the command line.

import { paths } from '../../shared/schema/documents.ts';
import { checkPath } from '../../shared/store/storable.ts';
import { UsageError } from '../process/usageError.ts';

/** The id in `ID` or `sessions/ID`. @throws UsageError when it is no valid session id. */
export function sessionIdArgument(text: string): string {
  const sessionId = text.replace(/^sessions\//, '');
  try {
    checkPath(paths.session(sessionId), 'document');
  } catch (error) {
    throw new UsageError(`${JSON.stringify(text)} is not the id of a session`, { cause: error });
  }
  return sessionId;
}
