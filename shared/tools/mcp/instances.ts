// Several clusters or accounts behind one entry of servers.yaml: their tools are offered once, with a
// parameter that names the instance. An instance that cannot be reached does not take the others away.

import type { CallToolResult, Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig, ServerInstances } from '../../contract/mcpServer.ts';
import type { MissingSource, WithheldTool } from '../../core/contract/tools.ts';
import { InquestError, RetryableError, TerminalError } from '../../core/errors.ts';
import { asText } from '../../text/json.ts';
import type { CallRequest, ConnectServer, McpConnection, ToolList } from './mcpConnection.ts';

/** Name of an instance among servers: `kubernetes/eu-1`. */
const fullName = (server: string, instance: string): string => `${server}/${instance}`;

type Attempt = { instance: string } & ({ connection: McpConnection } | { error: InquestError });

/**
 * Connects servers with instances: all of them at once, each within its own `connectTimeoutMs`. Other servers
 * are connected by `connect`.
 */
export function connectInstances(connect: ConnectServer): ConnectServer {
  return async (name, config, signal, fresh, skip = new Set()) => {
    const { instances } = config;
    if (instances === undefined) return connect(name, config, signal, fresh);
    const attempts = await Promise.allSettled(
      Object.entries(instances.list).map(async ([instance, own]): Promise<Attempt> => {
        const full = fullName(name, instance);
        if (skip.has(full)) return { instance, error: notTried(full) };
        try {
          return { instance, connection: await connect(full, own, signal, fresh) };
        } catch (error) {
          signal.throwIfAborted();
          if (error instanceof InquestError) return { instance, error };
          throw error;
        }
      }),
    );
    const tried = attempts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const connected = tried.flatMap((one) => ('connection' in one ? [one] : []));
    const failed = tried.flatMap((one) => ('error' in one ? [one] : []));
    const unexpected = attempts.find((one) => one.status === 'rejected');
    if (unexpected !== undefined) {
      await Promise.all(connected.map(({ connection }) => connection.close()));
      throw unexpected.reason;
    }
    if (connected.length === 0)
      throw failed.find(({ error }) => error instanceof RetryableError)?.error ?? failed[0]?.error;
    const missing = failed.map(({ instance, error }) => ({ name: fullName(name, instance), error }));
    return joinConnections(
      instances,
      connected,
      failed,
      missing.filter((one) => !skip.has(one.name)),
    );
  };
}

const notTried = (name: string) =>
  new TerminalError('TOOL_SERVER_UNAVAILABLE', `"${name}" is unavailable in this investigation`);

function joinConnections(
  instances: ServerInstances,
  connected: readonly { instance: string; connection: McpConnection }[],
  failed: readonly { instance: string; error: InquestError }[],
  missing: readonly MissingSource[],
): McpConnection {
  const instructions = connected.find(({ connection }) => connection.instructions)?.connection.instructions;
  return {
    listed: joinedList(
      connected.map(({ connection }) => connection.listed),
      instances,
    ),
    ...(instructions !== undefined && { instructions }),
    ...(missing.length > 0 && { missing }),
    async call(request) {
      const { [instances.parameter]: named, ...args } = request.arguments;
      const error = failed.find(({ instance }) => instance === named)?.error;
      if (error !== undefined) throw error;
      const chosen = connected.find(({ instance }) => instance === named);
      if (chosen === undefined)
        return refuseCall(`There is no ${instances.parameter} "${asText(named) ?? ''}"`, instances);
      return callAt(chosen, { ...request, arguments: args }, instances);
    },
    lastWords: () => '',
    async close() {
      await Promise.all(connected.map(({ connection }) => connection.close()));
    },
  };
}

async function callAt(
  { instance, connection }: { instance: string; connection: McpConnection },
  request: CallRequest,
  instances: ServerInstances,
): Promise<CallToolResult> {
  const tool = connection.listed.tools.findLast(({ name }) => name === request.tool.name);
  if (tool !== undefined) return connection.call({ ...request, tool });
  return refuseCall(`The ${instances.parameter} ${instance} has no tool ${request.tool.name}`, instances);
}

function refuseCall(reason: string, { parameter, list }: ServerInstances): CallToolResult {
  const text = `${reason}. Values of ${parameter}: ${Object.keys(list).join(', ')}. Nothing was executed.`;
  return { content: [{ type: 'text', text }], isError: true };
}

/** The last joined list for the first of its lists: unchanged lists give the same object. */
const joinedLists = new WeakMap<ToolList, { of: readonly ToolList[]; joined: ToolList }>();

/** The tools of all lists, each once, as the first list that has it describes it. */
function joinedList(lists: readonly ToolList[], instances: ServerInstances): ToolList {
  const [first] = lists;
  const known = first && joinedLists.get(first);
  if (known?.of.length === lists.length && known.of.every((list, index) => list === lists[index]))
    return known.joined;
  const tools = new Map<string, Tool>();
  const withheld = new Map<string, WithheldTool>();
  for (const { tools: listed, refused: others } of lists) {
    for (const tool of listed) {
      if (Object.hasOwn(tool.inputSchema.properties ?? {}, instances.parameter))
        withheld.set(tool.name, { name: tool.name, reason: takenParameter(instances.parameter) });
      else tools.set(tool.name, withParameter(tools.get(tool.name), tool, instances));
    }
    for (const one of others) withheld.set(one.name, one);
  }
  const joined = { tools: [...tools.values()], refused: [...withheld.values()] };
  if (first !== undefined) joinedLists.set(first, { of: lists, joined });
  return joined;
}

const takenParameter = (parameter: string): string =>
  `it has a parameter "${parameter}" of its own: name another one under instances.parameter`;

/** The tool with the parameter of the instance. It is read-only only if all instances say so. */
function withParameter(before: Tool | undefined, tool: Tool, { parameter, list }: ServerInstances): Tool {
  if (before !== undefined) {
    const isReadOnly = [before, tool].every(({ annotations }) => annotations?.readOnlyHint === true);
    return isReadOnly ? before : { ...before, annotations: { ...before.annotations, readOnlyHint: false } };
  }
  const { properties, required = [] } = tool.inputSchema;
  const names = Object.keys(list);
  const description = `The ${parameter} that the call is for. Name it with each finding from it.`;
  return {
    ...tool,
    inputSchema: {
      ...tool.inputSchema,
      properties: { [parameter]: { type: 'string', enum: names, description }, ...properties },
      required: [parameter, ...required],
    },
  };
}

/** A result with the name of the instance that the call was for, in its first line. */
export function withInstance(
  content: string,
  args: Readonly<Record<string, unknown>>,
  { instances }: Pick<McpServerConfig, 'instances'>,
): string {
  const named = instances === undefined ? undefined : asText(args[instances.parameter]);
  if (instances === undefined || named === undefined || !Object.hasOwn(instances.list, named)) return content;
  return `[${instances.parameter} ${named}]\n${content}`;
}
