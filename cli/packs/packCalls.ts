// The read-only calls of packs, which show whether the systems behind their MCP servers answer.

import type { ServerAnswer } from '../../local/askServers.ts';
import { expandVariables } from '../../shared/config/variables.ts';
import { type PackServer, packNames, readPack } from './pack.ts';

/** Longest part of the error of a call that is shown, in characters. */
const MAX_ERROR = 300;

/** The result of the call to the system behind a server. */
export interface SystemAnswer {
  /** Name of the server in servers.yaml. */
  server: string;
  /** The system, for example `Prometheus at http://127.0.0.1:9090`. */
  system: string;
  /** Name of the called tool. */
  tool: string;
  /** Why there is no answer; absent when the call succeeded. */
  error?: string;
}

/** The calls of packs to servers with these names, by server. */
export function packCalls(servers: readonly string[]): Map<string, PackServer['probe']> {
  const own = packNames().flatMap((pack) => readPack(pack).servers);
  return new Map(own.filter(({ name }) => servers.includes(name)).map(({ name, probe }) => [name, probe]));
}

/**
 * The results of calls. A server that does not offer the tool of its call, or did not answer itself, is left
 * out.
 * @param env where the addresses of the systems are taken from, as the servers do.
 */
export function systemAnswers(
  calls: ReadonlyMap<string, PackServer['probe']>,
  answers: readonly ServerAnswer[],
  env: NodeJS.ProcessEnv,
): SystemAnswer[] {
  return answers.flatMap((answer) => {
    const { server } = answer;
    const call = calls.get(server);
    if (call === undefined || 'message' in answer || !answer.tools.includes(call.tool)) return [];
    const { tool } = call;
    const { content = 'no result', isError = true } = answer.probe ?? {};
    const error = isError ? { error: `${tool} gives: ${content.trim().slice(0, MAX_ERROR)}` } : {};
    return [{ server, system: nameSystem(call.system, env), tool, ...error }];
  });
}

/** The name of a system with its address, without the account that an address can hold. */
function nameSystem(text: string, env: NodeJS.ProcessEnv): string {
  const expansion = expandVariables(text, env);
  return (expansion.ok ? expansion.text : text).replace(/\/\/[^/@\s]*@/g, '//');
}
