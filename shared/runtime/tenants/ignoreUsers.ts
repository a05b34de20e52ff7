// Removes users, which a model never chooses, and nulls from calls of built-in tools.

import type { ToolCall } from '../../contract/tools.ts';
import type { Logger } from '../../log.ts';
import { ownArguments, USER_ARGUMENT } from '../../prompt/builtInTools.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/**
 * The calls as they are run. Tools of servers (`server.tool`) get the arguments unchanged, because they
 * define the meaning of their own `user_id`.
 * @param ids of the execution, for the log.
 */
export function ignoreUsers(calls: readonly ToolCall[], ids: object, log: Logger): ToolCall[] {
  return calls.map((call) => {
    const args = parseCallArguments(call.arguments);
    const own = ownArguments(call.name, args);
    if (own === args) return call;
    if (args[USER_ARGUMENT] != null)
      log.warn(ids, `${call.name}: ${USER_ARGUMENT} is ignored; a model chooses no user`);
    return { ...call, arguments: JSON.stringify(own) };
  });
}
