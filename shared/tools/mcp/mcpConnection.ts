// Speaks to one MCP server: connects, lists its tools, calls them, and always closes the connection.

import type { CallToolResult, Client, Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '../../contract/mcpServer.ts';
import { MAX_INSTRUCTIONS, type MissingSource, type WithheldTool } from '../../core/contract/tools.ts';
import { RetryableError, TerminalError } from '../../core/errors.ts';
import { createServerTokens, type ServerTokens } from './auth/serverTokens.ts';
import { httpLink } from './httpLink.ts';
import type { Link } from './link.ts';
import { describeFailure, isPermanent, lastWords } from './mcpFailure.ts';
import { stdioLink } from './stdioLink.ts';
import { type ListMeter, meterLists } from './toolList.ts';

/**
 * How Inquest introduces itself to servers, with the version of the package.
 * @internal
 */
export const MCP_CLIENT = { name: 'inquest', version: '0.2.0' };

/** Ending an HTTP session is optional; a server that is reachable answers within two seconds. */
const SESSION_END_MS = 2_000;
/** A process has 2 s after its input's end and 2 s after SIGTERM, then SIGKILL; 1 s for the rest. */
const CLOSE_MS = 5_000;

/** A call of a tool. */
export interface CallRequest {
  /** The tool as the server listed it. */
  tool: Tool;
  /** Whether repeating it is harmless. */
  readOnly: boolean;
  /** The arguments with the bound parameters, as they are sent. */
  arguments: Record<string, unknown>;
  /** The `_meta` of the call: idempotency key and trace context. */
  meta: Record<string, unknown>;
  /** Milliseconds. */
  timeoutMs: number;
  /** Its abort cancels the call. */
  signal: AbortSignal;
}

/** The tools that a server listed. The same object as long as the list does not change. */
export interface ToolList {
  /** Its tools, as it described them, without fields that Inquest does not read. */
  tools: Tool[];
  /** Tools that pass a limit, without the server's name. */
  refused: WithheldTool[];
}

/** A connected server, as a source of tools uses it. */
export interface McpConnection {
  /** The tools of the last listing. */
  listed: ToolList;
  /** The server's instructions, at most `MAX_INSTRUCTIONS + 1` characters; absent without any. */
  instructions?: string;
  /** Instances that could not be reached, by their full names; absent: none. */
  missing?: readonly MissingSource[];
  /** Calls a tool. @throws the errors of the SDK: time-outs, protocol errors, lost connections. */
  call(request: CallRequest): Promise<CallToolResult>;
  /** A note for calls that failed because the server ended: its last output in brackets, or nothing. */
  lastWords(): string;
  /** Ends the process or the session, within 7 s. Never throws. */
  close(): Promise<void>;
}

/** Connects to a server; `fresh`: lists tools now; `skip`: untried instances. @throws as `connectServer`. */
export type ConnectServer<C = McpConnection> = (
  name: string,
  config: McpServerConfig,
  signal: AbortSignal,
  fresh?: boolean,
  skip?: ReadonlySet<string>,
) => Promise<C>;

/** A connected server, as long as it is connected. */
export interface LiveConnection extends McpConnection {
  /** The other end of the connection: a process, a session at the server, or a server without state. */
  readonly kind: 'process' | 'session' | 'stateless';
  /**
   * Lists the tools again, within the server's `connectTimeoutMs`.
   * @throws the errors of the SDK; the reason of the signal, or of the time limit.
   */
  listTools(signal: AbortSignal): Promise<ToolList>;
  /** How many changes of its tools the server has announced so far. */
  listChanges(): number;
  /** Whether the connection is known to be closed, by either side. */
  isClosed(): boolean;
  /** Signals the process to end, without waiting for it: for the end of this process. */
  kill(): void;
}

/**
 * Connects to a server and lists its tools, within the server's `connectTimeoutMs`. An HTTP server is asked
 * for the stateless protocol (2026-07-28) first, and gets the older handshake if it does not know it. A
 * process gets the older handshake at once, because asking first would start it twice.
 * @throws RetryableError `TOOL_SERVER_UNAVAILABLE`, naming server and cause; TerminalError of that code for a
 * command that does not exist and a refused login; the signal's reason on abort. The connection is closed in
 * every case.
 */
export const connectServer = connectWith(createServerTokens());

/**
 * The same, with tokens from `tokens` for servers with `auth`.
 * @param secrets values beside those of a server's settings that are masked in all messages. Default: none.
 */
export function connectWith(
  tokens: ServerTokens,
  secrets: readonly string[] = [],
): ConnectServer<LiveConnection> {
  return (name, config, signal) => openConnection(name, config, signal, tokens, secrets);
}

async function openConnection(
  name: string,
  config: McpServerConfig,
  signal: AbortSignal,
  tokens: ServerTokens,
  secrets: readonly string[],
): Promise<LiveConnection> {
  signal.throwIfAborted();
  const deadline = AbortSignal.timeout(config.connectTimeoutMs);
  const sdk = await import('@modelcontextprotocol/client');
  const link =
    config.transport === 'stdio'
      ? await stdioLink(config)
      : httpLink(config, tokens.forServer(name, config), sdk);
  const client = new sdk.Client(MCP_CLIENT, {
    versionNegotiation: { mode: config.transport === 'http' ? 'auto' : 'legacy' },
  });
  const close = runOnce(() => closeLink(link));
  let isClosed = false;
  let running = 0;
  /** Of several calls that a process broke with too long a line, it is not known which one it answered. */
  const explained = (error: unknown): unknown => {
    const { tooLong } = link.state;
    return tooLong === undefined || running > 1
      ? error
      : new sdk.ProtocolError(tooLong.code, tooLong.message);
  };
  client.onclose = () => {
    isClosed = true;
  };
  let listChanges = 0;
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    listChanges++;
  });
  try {
    const meter = meterLists();
    const opened = openAndList(client, link, config, meter);
    const listed = await beforeAbort(opened, AbortSignal.any([signal, deadline]));
    const instructions = client.getInstructions()?.slice(0, MAX_INSTRUCTIONS + 1);
    return {
      listed,
      ...(instructions !== undefined && { instructions }),
      kind: link.kind(),
      listTools(again) {
        const limit = AbortSignal.timeout(config.connectTimeoutMs);
        return beforeAbort(listTools(client, link, config, meter), AbortSignal.any([again, limit]));
      },
      listChanges: () => listChanges,
      isClosed: () => isClosed,
      async call(request) {
        running++;
        link.state.isCalling = true;
        try {
          return await callTool(client, request);
        } catch (error) {
          throw explained(error);
        } finally {
          running--;
          link.state.isCalling = running > 0;
        }
      },
      lastWords: () => `${tooLongNote(link)}${lastOutputNote(link, config, secrets)}`,
      close,
      kill: link.kill,
    };
  } catch (failure) {
    await close();
    signal.throwIfAborted();
    const error = explained(failure);
    const cause = deadline.aborted
      ? `no answer within ${config.connectTimeoutMs} ms`
      : describeFailure(error, config, [...tokens.learned.list(), ...secrets]);
    const message = `MCP server "${name}" is unavailable: ${cause}${lastOutputNote(link, config, secrets)}`;
    // The error itself is not passed on as the cause: it can quote headers, or an answer that quotes them.
    const Unavailable = isPermanent(error) ? TerminalError : RetryableError;
    throw new Unavailable('TOOL_SERVER_UNAVAILABLE', message);
  }
}

function tooLongNote({ state: { tooLong } }: Link): string {
  return tooLong === undefined ? '' : ` (${tooLong.message})`;
}

/** The last output of a process, as a note for a message about it. */
function lastOutputNote(link: Link, config: McpServerConfig, secrets: readonly string[]): string {
  const output = lastWords(link.stderr(), config, secrets);
  return output === '' ? '' : ` (its last words: ${output})`;
}

async function openAndList(
  client: Client,
  link: Link,
  config: McpServerConfig,
  meter: ListMeter,
): Promise<ToolList> {
  const { transport } = link;
  await client.connect(transport, { timeout: config.connectTimeoutMs });
  // Before the client reads a list: its own checks take seconds for a large one, and a deep one ends them.
  const receive = transport.onmessage;
  transport.onmessage = (message, extra) => receive?.(meter.inspect(message), extra);
  return listTools(client, link, config, meter);
}

async function listTools(
  client: Client,
  { state }: Link,
  config: McpServerConfig,
  meter: ListMeter,
): Promise<ToolList> {
  // Without this check the SDK would write a line to standard output for a server without tools.
  if (client.getServerCapabilities()?.tools === undefined) return { tools: [], refused: [] };
  meter.start();
  // Not cached: the cache would compile the output schemas of all tools, also of those that are never called.
  state.isListing = true;
  try {
    const { tools } = await client.listTools(undefined, {
      timeout: config.connectTimeoutMs,
      cacheMode: 'bypass',
    });
    return { tools, refused: meter.refused() };
  } finally {
    state.isListing = false;
  }
}

function callTool(client: Client, request: CallRequest): Promise<CallToolResult> {
  const { outputSchema: _unchecked, ...toolDefinition } = request.tool;
  return client.callTool(
    { name: request.tool.name, arguments: request.arguments, _meta: request.meta },
    {
      signal: request.signal,
      timeout: request.timeoutMs,
      maxTotalTimeout: request.timeoutMs,
      // Without the output schema: the result becomes text, which a model reads even if it breaks it.
      toolDefinition,
    },
  );
}

async function closeLink(link: Link): Promise<void> {
  await settleWithin(link.endSession(), SESSION_END_MS);
  await settleWithin(link.transport.close(), CLOSE_MS);
  link.cleanUp();
}

/** Waits until `work` ends, with or without an error, but at most `ms` milliseconds. */
async function settleWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => {}), limit]);
  clearTimeout(timer);
}

/** The outcome of `work`; on abort throws the signal's reason, and the caller ends `work`. */
async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

function runOnce(action: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= action();
    return running;
  };
}
