// Finds the session that a person means: by its id, the beginning of it, or as the last one.

import type { SessionIndex } from '../../shared/runtime/views/tenantSessions.ts';
import { sessionIdArgument } from '../options/sessionIdArgument.ts';
import { onOneLine } from '../print/textTable.ts';
import { UsageError } from '../process/usageError.ts';

/** Stands for the session that was opened last. */
const LAST = 'last';
/** Sessions that are named when a beginning is that of several. */
const NAMED = 5;

/** For the description of the argument. */
export const SESSION_ARGUMENT =
  'its id, the beginning of it that no other has, or `last` for the one that was opened last';

/**
 * The id of the session of a tenant that `argument` means. It reads one document, or two where the beginning is not unique.
 * @param where the database, for people.
 * @throws UsageError for what can be no id, and for a beginning that several sessions have; Error when there is none.
 */
export async function findSession(argument: string, sessions: SessionIndex, where: string): Promise<string> {
  if (argument === LAST) {
    const newest = await sessions.newest();
    if (newest !== undefined) return newest;
    throw new Error(`there is no session in ${where}`);
  }
  const idPrefix = sessionIdArgument(argument);
  const find = (limit: number) => sessions.byId({ idPrefix, limit, fields: ['createdAt'] });
  const [first, second] = await find(2);
  if (first === undefined)
    throw new Error(
      `there is no session ${onOneLine(idPrefix)} in ${where}; \`inquest list\` shows those there are`,
    );
  // The whole id of one may be the beginning of others, and sorts before them.
  if (second === undefined || first.id === idPrefix) return first.id;
  const found = (await find(NAMED + 1)).map(({ id }) => onOneLine(id));
  const more = found.length > NAMED ? ', …' : '';
  throw new UsageError(
    `several sessions begin with ${onOneLine(idPrefix)}: ${found.slice(0, NAMED).join(', ')}${more}`,
  );
}
