// Connects an agent to the MCP servers it may use, lists the tools it may call, and runs its calls.

import type { Tool } from '@modelcontextprotocol/client';
import { isConfiguredReadOnly, type McpServerConfig } from '../../config/serverConfig.ts';
import type {
  ConnectTools,
  ExecuteOptions,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
} from '../../contract/tools.ts';
import { errorMessage, TerminalError } from '../../errors.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { limitText } from '../../text/limitText.ts';
import { connectServer, type McpConnection, STREAM_ENDED } from './mcpConnection.ts';
import { describeFailure } from './mcpFailure.ts';
import { resultText } from './resultText.ts';

/**
 * Field of a call's `_meta` that holds the idempotency key, by which a server that changes something can recognise a
 * repeated call. MCP demands a prefix for such fields; `traceparent` is its only exception (SEP-414).
 */
export const IDEMPOTENCY_META_KEY = 'inquest/idempotencyKey';

/** What the connector needs besides the configured servers. */
export interface McpConnectorOptions {
  /** Logs configuration that has no effect, such as a tool that its server does not have. */
  warn: (message: string, fields: Record<string, unknown>) => void;
}

/** A tool that an agent may call, with the server that runs it. */
interface OfferedTool {
  definition: ToolDefinition;
  tool: Tool;
  server: string;
  config: McpServerConfig;
  connection: McpConnection;
}

/**
 * Creates the function with which the runtime connects an agent's tools. It loads the MCP SDK only for an agent that has
 * tools, and connects to the servers of that agent alone, all at the same time. When one is unavailable, the connections
 * to the others are closed and the function throws.
 * @param servers the configured servers by name.
 */
export function createMcpConnector(
  servers: Record<string, McpServerConfig>,
  { warn }: McpConnectorOptions,
): ConnectTools {
  return async (allowed, signal) => {
    const connected = await connectAll(selectServers(allowed, servers), signal);
    return createExecutor(
      connected.flatMap((server) => pickTools(server, warn).map((tool) => offerTool(server, tool))),
      connected.map((server) => server.connection),
    );
  };
}

/** A server that an agent may use, with all of its tools or some. */
interface SelectedServer {
  server: string;
  config: McpServerConfig;
  tools: 'all' | Set<string>;
}

interface ConnectedServer extends SelectedServer {
  connection: McpConnection;
}

function selectServers(allowed: string[], servers: Record<string, McpServerConfig>): SelectedServer[] {
  const known = new Map(Object.entries(servers));
  const selected = new Map<string, SelectedServer>();
  for (const name of allowed) {
    const dot = name.indexOf('.');
    const server = dot === -1 ? name : name.slice(0, dot);
    const config = known.get(server);
    if (config === undefined) {
      const names = [...known.keys()].sort().join(', ') || 'none';
      throw new TerminalError(
        'CONFIG_UNKNOWN_SERVER',
        `an agent may use "${name}", but no MCP server "${server}" is configured (configured: ${names})`,
      );
    }
    const before = selected.get(server)?.tools;
    const tools = dot === -1 || before === 'all' ? 'all' : new Set(before).add(name.slice(dot + 1));
    selected.set(server, { server, config, tools });
  }
  return [...selected.values()];
}

async function connectAll(selected: SelectedServer[], signal: AbortSignal): Promise<ConnectedServer[]> {
  const abandon = new AbortController();
  const either = AbortSignal.any([signal, abandon.signal]);
  let firstFailure: unknown;
  const outcomes = await Promise.allSettled(
    selected.map(async (entry) => {
      try {
        return { ...entry, connection: await connectServer(entry.server, entry.config, either) };
      } catch (error) {
        firstFailure ??= error;
        abandon.abort(error);
        throw error;
      }
    }),
  );
  const connected = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  if (connected.length === selected.length) return connected;
  await Promise.all(connected.map(({ connection }) => connection.close()));
  signal.throwIfAborted();
  throw firstFailure;
}

function pickTools(
  { server, tools, connection }: ConnectedServer,
  warn: McpConnectorOptions['warn'],
): Tool[] {
  const byName = new Map(connection.tools.map((tool) => [tool.name, tool]));
  if (tools === 'all') {
    if (byName.size === 0) warn('an MCP server offers no tools', { server });
    return [...byName.values()];
  }
  return [...tools].flatMap((name) => {
    const tool = byName.get(name);
    if (tool === undefined) {
      warn('an agent names a tool its MCP server does not have', { server, tool: name });
      return [];
    }
    return [tool];
  });
}

function offerTool({ server, config, connection }: ConnectedServer, tool: Tool): OfferedTool {
  const definition: ToolDefinition = {
    name: `${server}.${tool.name}`,
    description: tool.description ?? tool.title ?? tool.annotations?.title ?? '',
    inputSchema: tool.inputSchema,
    readOnly: tool.annotations?.readOnlyHint === true || isConfiguredReadOnly(tool.name, config.readOnly),
  };
  return { definition, tool, server, config, connection };
}

/** The result of a call, before its duration is added and its text is cut. */
interface Outcome {
  content: string;
  isError: boolean;
  timedOut: boolean;
}

const failedOutcome = (content: string): Outcome => ({ content, isError: true, timedOut: false });

function createExecutor(offered: OfferedTool[], connections: McpConnection[]): ToolExecutor {
  const byName = new Map(offered.map((entry) => [entry.definition.name, entry]));
  const definitions = [...byName.values()].map((entry) => entry.definition).sort(byCodeUnits);

  return {
    list: () => definitions,
    async execute(call, options) {
      options.signal.throwIfAborted();
      const startedAt = performance.now();
      const entry = byName.get(call.name);
      const outcome =
        entry === undefined
          ? failedOutcome(describeUnknownTool(call.name, definitions))
          : await runCall(entry, call, options);
      return {
        callId: call.callId,
        name: call.name,
        ...limitText(outcome.content, options.maxResultBytes),
        isError: outcome.isError,
        durationMs: Math.round(performance.now() - startedAt),
        timedOut: outcome.timedOut,
      };
    },
    async close() {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}

/** Sorts by code units and not by locale, so that the order is the same on every machine. */
function byCodeUnits(a: ToolDefinition, b: ToolDefinition): number {
  return a.name < b.name ? -1 : 1;
}

function describeUnknownTool(name: string, definitions: ToolDefinition[]): string {
  const names = definitions.map((definition) => definition.name).join(', ') || 'none';
  return `There is no tool "${name}". Available tools: ${names}.`;
}

async function runCall(entry: OfferedTool, call: ToolCall, options: ExecuteOptions): Promise<Outcome> {
  const timeoutMs = entry.config.timeoutMs ?? options.timeoutMs;
  try {
    const result = await entry.connection.call({
      tool: entry.tool,
      arguments: parseCallArguments(call.arguments),
      meta: {
        [IDEMPOTENCY_META_KEY]: options.idempotencyKey,
        ...(options.traceparent === null ? {} : { traceparent: options.traceparent }),
      },
      timeoutMs,
      signal: options.signal,
    });
    return { content: resultText(result), isError: result.isError === true, timedOut: false };
  } catch (error) {
    options.signal.throwIfAborted();
    return describeCallFailure(error, entry, timeoutMs);
  }
}

async function describeCallFailure(error: unknown, entry: OfferedTool, timeoutMs: number): Promise<Outcome> {
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  const unverified = entry.definition.readOnly ? '' : ' Whether it took effect is not known.';
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const content = `The tool did not answer within ${timeoutMs} ms; the call was cancelled.${unverified}`;
    return { content, isError: true, timedOut: true };
  }
  if (error instanceof ProtocolError && error.code !== STREAM_ENDED) {
    return failedOutcome(`The server refused the call: ${errorMessage(error)}`);
  }
  const cause = describeFailure(error, entry.config);
  return failedOutcome(`The call to server "${entry.server}" failed: ${cause}.${unverified}`);
}
