// Removes users, which a model never chooses, and nulls from calls of built-in tools.

import type { Logger } from '../../core/contract/logger.ts';
import type { ToolCall } from '../../core/contract/tools.ts';
import type { Feature } from '../../core/kernel/feature/feature.ts';
import { ownArguments, USER_ARGUMENT } from '../../core/prompts/builtInTools.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/** Runs calls of built-in tools without the users that they name. */
export const USER_ARGUMENTS: Feature = {
  prepareCall({ held, deps }, call) {
    const { sessionId, executionId } = held.current();
    return ignoreUser(call, { sessionId, executionId }, deps.log);
  },
};

/**
 * The call as it is run. Tools of servers (`server.tool`) get the arguments unchanged, because they define
 * the meaning of their own `user_id`.
 * @param ids of the execution, for the log.
 */
export function ignoreUser(call: ToolCall, ids: object, log: Pick<Logger, 'warn'>): ToolCall {
  const args = parseCallArguments(call.arguments);
  const own = ownArguments(call.name, args);
  if (own === args) return call;
  if (args[USER_ARGUMENT] != null)
    log.warn(ids, `${call.name}: ${USER_ARGUMENT} is ignored; a model chooses no user`);
  return { ...call, arguments: JSON.stringify(own) };
}
