// A model never chooses on whose behalf something is done: a user that it names in a call of a built-in tool is ignored.

import type { ToolCall } from '../../contract/tools.ts';
import type { Logger } from '../../log.ts';
import { USER_ARGUMENT, withoutUser } from '../../prompt/builtInTools.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/**
 * The calls as they are run. Tools of servers (`server.tool`) get what the model wrote: what their `user_id` means is theirs.
 * @param ids of the execution, for the log.
 */
export function ignoreUsers(calls: readonly ToolCall[], ids: object, log: Logger): ToolCall[] {
  return calls.map((call) => {
    const args = parseCallArguments(call.arguments);
    const own = withoutUser(call.name, args);
    if (own === args) return call;
    log.warn(ids, `${call.name}: ${USER_ARGUMENT} is ignored; a model chooses no user`);
    return { ...call, arguments: JSON.stringify(own) };
  });
}
