// An MCP server as a source of tools. Loads the SDK only when a server is connected.

import type { Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig, ScopeSettings } from '../../contract/mcpServer.ts';
import type {
  ExecuteOptions,
  ProbeResult,
  ToolCall,
  ToolOutcome,
  ToolSource,
} from '../../core/contract/tools.ts';
import { errorMessage, InquestError } from '../../core/errors.ts';
import { parseCallArguments } from '../../text/callArguments.ts';
import { ANSWER_TOO_LARGE, TOO_LARGE_MESSAGE } from '../http/responseLimit.ts';
import { listBindings, parameterOutside } from './boundArguments.ts';
import { STREAM_ENDED } from './httpLink.ts';
import { connectInstances, withInstance } from './instances.ts';
import { type ConnectServer, connectServer, type McpConnection } from './mcpConnection.ts';
import { describeFailure } from './mcpFailure.ts';
import { createOffers } from './offeredTools.ts';
import { probeArguments, readProbe } from './probe.ts';
import { resultText } from './resultText.ts';
import { findToolSettings, isReadOnly } from './toolApproval.ts';

/**
 * Key of the idempotency key in a call's `_meta`. A server that changes something can use it to recognise a
 * repeated call. MCP wants keys of one's own under a prefix; `traceparent` is its one exception (SEP-414).
 * @internal
 */
export const IDEMPOTENCY_META_KEY = 'inquest/idempotencyKey';

/**
 * A source for each configured server, by its name.
 * @param connect connects servers; by default with a new connection for each iteration (see
 * `keepConnections`).
 * @param secrets values beside those of a server's own settings that are masked in all messages about it.
 * Default: none.
 */
export function mcpSources(
  servers: Readonly<Record<string, McpServerConfig>>,
  connect: ConnectServer = (name, config, signal) => connectServer(name, config, signal),
  secrets: readonly string[] = [],
): ToolSource[] {
  const connectAny = connectInstances(connect);
  return Object.entries(servers).map(([name, config]) => mcpSource(name, config, connectAny, secrets));
}

function mcpSource(
  name: string,
  config: McpServerConfig,
  connect: ConnectServer,
  secrets: readonly string[],
): ToolSource {
  const offers = createOffers(name, config);
  return {
    name,
    ...(config.reaches === 'outside' && { external: config.reaches }),
    async connect(signal, { labels, fresh = false, skip } = {}) {
      const connection = await connect(name, config, signal, fresh, skip);
      const tools = new Map(connection.listed.tools.map((tool) => [`${name}.${tool.name}`, tool]));
      const server: ConnectedServer = { name, config, connection, secrets };
      const offered = offers(connection.listed, labels);
      const boundOf = ({ name: called }: ToolCall) =>
        offered.tools.find((one) => one.name === called)?.bound ?? {};
      const { resultBytes: maxBytes, summarizeWith } = config;
      const instructions = config.instructions === 'ignore' ? '' : (connection.instructions?.trim() ?? '');
      return {
        ...offered,
        ...(instructions !== '' && { instructions }),
        ...(config.scope?.keys.length &&
          labels !== undefined && { scope: selectScopeValues(config.scope, labels) }),
        ...(connection.missing !== undefined && { missing: connection.missing }),
        results: { maxBytes, summarizeWith },
        probe: (call, options) => runProbe(server, tools, withBound(call, boundOf(call)), options),
        call(call, options) {
          const tool = tools.get(call.name);
          if (tool === undefined) throw new RangeError(`${call.name} is not a tool of server ${name}`);
          const bound = boundOf(call);
          const parameter = parameterOutside(parseCallArguments(call.arguments), listBindings(config), bound);
          if (parameter !== undefined) return Promise.resolve(refusedParameter(parameter));
          return runCall(server, tool, withBound(call, bound), options);
        },
        close: () => connection.close(),
      };
    },
  };
}

function selectScopeValues(
  { keys }: ScopeSettings,
  labels: Readonly<Record<string, string>>,
): Record<string, string> {
  const known = keys.filter((key) => Object.hasOwn(labels, key));
  return Object.fromEntries(known.map((key) => [key, labels[key] ?? '']));
}

/** The call as it is sent: with the bound values of the configuration. */
function withBound(call: ToolCall, bound: Record<string, string>): ToolCall {
  if (Object.keys(bound).length === 0) return call;
  return { ...call, arguments: JSON.stringify({ ...parseCallArguments(call.arguments), ...bound }) };
}

function refusedParameter(name: string): ToolOutcome {
  const content = `The argument "${name}" is not yours to set. Nothing was executed.`;
  return { content, isError: true, timedOut: false };
}

interface ConnectedServer {
  /** Name in servers.yaml. */
  name: string;
  /** Its validated settings. */
  config: McpServerConfig;
  /** The open connection. */
  connection: McpConnection;
  /** Values that are masked in messages, beside those of the settings. */
  secrets: readonly string[];
}

async function runProbe(
  server: ConnectedServer,
  tools: ReadonlyMap<string, Tool>,
  call: ToolCall,
  options: ExecuteOptions,
): Promise<ProbeResult> {
  const { name, config } = server;
  const unclear = (content: string): ProbeResult => ({ answer: 'unclear', content });
  const { probe } = findToolSettings(call.name.slice(name.length + 1), config);
  if (probe === undefined) return unclear('No probe is configured for it any more.');
  const tool = tools.get(`${name}.${probe.tool}`);
  if (tool === undefined) return unclear(`Its server has no tool ${probe.tool}.`);
  if (!isReadOnly(tool, config)) return unclear(`${probe.tool} is not read-only.`);
  const args = probeArguments(probe, call, options);
  if (args === undefined) return unclear('The call lacks an argument that its probe needs.');
  const { instances } = config;
  const given = parseCallArguments(call.arguments);
  const place = instances === undefined ? {} : { [instances.parameter]: given[instances.parameter] };
  const probeCall = {
    ...call,
    name: `${name}.${probe.tool}`,
    arguments: JSON.stringify({ ...place, ...args }),
  };
  const probeOptions = { ...options, idempotencyKey: `${options.idempotencyKey}/probe` };
  return readProbe(probe, await runCall(server, tool, probeCall, probeOptions));
}

/** Runs a call. Its outcome names the instance. */
async function runCall(
  server: ConnectedServer,
  tool: Tool,
  call: ToolCall,
  options: ExecuteOptions,
): Promise<ToolOutcome> {
  const outcome = await sendCall(server, tool, call, options);
  const args = parseCallArguments(call.arguments);
  return { ...outcome, content: withInstance(outcome.content, args, server.config) };
}

async function sendCall(
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
  { name, config, connection, secrets }: ConnectedServer,
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
  const cause = describeFailure(error, config, secrets);
  const content = `The call to server "${name}" failed: ${cause}${connection.lastWords()}.${unverified}`;
  return { content, isError: true, timedOut: false, noAnswer: true };
}
