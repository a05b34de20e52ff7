// A model never chooses on whose behalf something is done: a user that it names in a call of a built-in tool is ignored.

import type { ToolCall } from '../../contract/tools.ts';
import type { Logger } from '../../log.ts';
import { parseCallArguments } from '../../text/callArguments.ts';

/** The argument in which a model names one. */
const USER = 'user_id';

/**
 * The calls as they are run. Tools of servers (`server.tool`) get what the model wrote: what their `user_id` means is theirs.
 * @param ids of the execution, for the log.
 */
export function ignoreUsers(calls: readonly ToolCall[], ids: object, log: Logger): ToolCall[] {
  return calls.map((call) => {
    if (call.name.includes('.')) return call;
    const { [USER]: user, ...rest } = parseCallArguments(call.arguments);
    if (user === undefined) return call;
    log.warn(ids, `${call.name}: ${USER} is ignored; a model chooses no user`);
    return { ...call, arguments: JSON.stringify(rest) };
  });
}
