// An MCP server as a source of tools. Loads the SDK only when a server is connected.

import type { Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '../../contract/mcpServer.ts';
import type {
  ExecuteOptions,
  ToolCall,
  ToolDefinition,
  ToolOutcome,
  ToolSource,
} from '../../contract/tools.ts';
import { errorMessage, InquestError } from '../../errors.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { type ConnectServer, connectServer, type McpConnection, STREAM_ENDED } from './mcpConnection.ts';
import { describeFailure } from './mcpFailure.ts';
import { isConfiguredReadOnly } from './readOnly.ts';
import { ANSWER_TOO_LARGE, TOO_LARGE_MESSAGE } from './responseLimit.ts';
import { resultText } from './resultText.ts';

/**
 * Key of the idempotency key in a call's `_meta`. A server that changes something can use it to recognise a repeated
 * call. MCP wants keys of one's own under a prefix; `traceparent` is its one exception (SEP-414).
 * @internal
 */
export const IDEMPOTENCY_META_KEY = 'inquest/idempotencyKey';

/**
 * A source for each configured server, by its name.
 * @param connect how servers are connected: anew for each iteration unless given (see `keepConnections`).
 */
export function mcpSources(
  servers: Readonly<Record<string, McpServerConfig>>,
  connect: ConnectServer = connectServer,
): ToolSource[] {
  return Object.entries(servers).map(([name, config]) => mcpSource(name, config, connect));
}

function mcpSource(name: string, config: McpServerConfig, connect: ConnectServer): ToolSource {
  return {
    name,
    async connect(signal) {
      const connection = await connect(name, config, signal);
      const tools = new Map(connection.tools.map((tool) => [`${name}.${tool.name}`, tool]));
      const server: ConnectedServer = { name, config, connection };
      return {
        tools: [...tools].map(([toolName, tool]) => definitionOf(toolName, tool, config)),
        call(call, options) {
          const tool = tools.get(call.name);
          if (tool === undefined) throw new RangeError(`${call.name} is not a tool of server ${name}`);
          return runCall(server, tool, call, options);
        },
        close: () => connection.close(),
      };
    },
  };
}

interface ConnectedServer {
  name: string;
  config: McpServerConfig;
  connection: McpConnection;
}

function definitionOf(name: string, tool: Tool, config: McpServerConfig): ToolDefinition {
  return {
    name,
    description: tool.description ?? tool.title ?? tool.annotations?.title ?? '',
    inputSchema: tool.inputSchema,
    readOnly: isReadOnly(tool, config),
  };
}

function isReadOnly(tool: Tool, { readOnly }: McpServerConfig): boolean {
  return tool.annotations?.readOnlyHint === true || isConfiguredReadOnly(tool.name, readOnly);
}

async function runCall(
  server: ConnectedServer,
  tool: Tool,
  call: ToolCall,
  options: ExecuteOptions,
): Promise<ToolOutcome> {
  const timeoutMs = server.config.timeoutMs ?? options.timeoutMs;
  try {
    const result = await server.connection.call({
      tool,
      readOnly: isReadOnly(tool, server.config),
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
    return describeCallFailure(error, server, tool, timeoutMs);
  }
}

async function describeCallFailure(
  error: unknown,
  { name, config, connection }: ConnectedServer,
  tool: Tool,
  timeoutMs: number,
): Promise<ToolOutcome> {
  if (error instanceof InquestError) {
    // A kept connection was lost before, and could not be opened again.
    const content = `${name}.${tool.name} could not be run: ${error.message}`;
    return { content, isError: true, timedOut: false, noAnswer: true };
  }
  const { ProtocolError, SdkError, SdkErrorCode } = await import('@modelcontextprotocol/client');
  const unverified = isReadOnly(tool, config) ? '' : ' Whether it took effect is not known.';
  if (error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout) {
    const content = `The tool did not answer within ${timeoutMs} ms; the call was cancelled.${unverified}`;
    return { content, isError: true, timedOut: true };
  }
  if (error instanceof ProtocolError && error.code === ANSWER_TOO_LARGE) {
    const content = `The call of ${name}.${tool.name} failed: ${TOO_LARGE_MESSAGE}. Ask for less.${unverified}`;
    return { content, isError: true, timedOut: false };
  }
  if (error instanceof ProtocolError && error.code !== STREAM_ENDED) {
    const content = `The server refused the call: ${errorMessage(error)}`;
    return { content, isError: true, timedOut: false };
  }
  const cause = describeFailure(error, config);
  const content = `The call to server "${name}" failed: ${cause}${connection.lastWords()}.${unverified}`;
  return { content, isError: true, timedOut: false, noAnswer: true };
}
