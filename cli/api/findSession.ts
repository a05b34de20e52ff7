// Resolves an argument to a session: by its id, by a prefix of its id, or as the newest one.

import type { SessionIndex } from '../../shared/runtime/views/tenantSessions.ts';
import { sessionIdArgument } from '../options/sessionIdArgument.ts';
import { onOneLine } from '../print/textTable.ts';
import { UsageError } from '../process/usageError.ts';

/** The argument for the newest session. */
const LAST = 'last';
/** How many sessions an error message about an ambiguous prefix lists. */
const MAX_LISTED = 5;

/** Description of the argument. */
export const SESSION_ARGUMENT = 'its id, a unique prefix of it, or `last` for the newest session';

/**
 * The id of the session that `argument` names. Reads one document, or two when the prefix is not unique.
 * @param where the database, for people.
 * @throws UsageError for an invalid id and for an ambiguous prefix; Error when there is no such session.
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
      `there is no session ${onOneLine(idPrefix)} in ${where}; \`inquest list\` lists the existing ones`,
    );
  // A complete id can be a prefix of others, and sorts before them.
  if (second === undefined || first.id === idPrefix) return first.id;
  const found = (await find(MAX_LISTED + 1)).map(({ id }) => onOneLine(id));
  const more = found.length > MAX_LISTED ? ', …' : '';
  throw new UsageError(
    `several sessions start with ${onOneLine(idPrefix)}: ${found.slice(0, MAX_LISTED).join(', ')}${more}`,
  );
}
