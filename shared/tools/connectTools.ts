// The tools of an agent, from several sources: connects those it may use, offers what it may call, runs its calls.
// What holds for every source stands here: unknown tools, time measured, results cut.

import type {
  ConnectedSource,
  ConnectTools,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
  ToolOutcome,
  ToolSource,
} from '../contract/tools.ts';
import { TerminalError } from '../errors.ts';
import { limitText } from '../text/limitText.ts';

/** How a connector is made. */
export interface ToolConnectorOptions {
  /** Called about configuration that has no effect, such as a tool its server does not have. */
  warn: (message: string, fields: Record<string, unknown>) => void;
}

/**
 * Makes the connector of the runtime. It connects only the sources that an agent may use, all at once, and fails as a
 * whole: when one is unavailable the others are closed.
 */
export function createToolConnector(
  sources: readonly ToolSource[],
  { warn }: ToolConnectorOptions,
): ConnectTools {
  return async (allowed, signal) => {
    const connected = await connectAll(selectSources(allowed, sources), signal);
    const offered = connected.flatMap((selected) =>
      pickTools(selected, warn).map((definition) => ({ definition, source: selected.connection })),
    );
    return executor(
      offered,
      connected.map(({ connection }) => connection),
    );
  };
}

/** A source an agent may use, wholly or by some of its tools. */
interface SelectedSource {
  source: ToolSource;
  tools: 'all' | Set<string>;
}

interface ConnectedSelection extends SelectedSource {
  connection: ConnectedSource;
}

interface OfferedTool {
  definition: ToolDefinition;
  source: ConnectedSource;
}

function selectSources(allowed: string[], sources: readonly ToolSource[]): SelectedSource[] {
  const known = new Map(sources.map((source) => [source.name, source]));
  const selected = new Map<string, SelectedSource>();
  for (const name of allowed) {
    const dot = name.indexOf('.');
    const server = dot === -1 ? name : name.slice(0, dot);
    const source = known.get(server);
    if (source === undefined) {
      const names = [...known.keys()].sort().join(', ') || 'none';
      throw new TerminalError(
        'CONFIG_UNKNOWN_SERVER',
        `an agent may use "${name}", but no MCP server "${server}" is configured (configured: ${names})`,
      );
    }
    const before = selected.get(server)?.tools;
    const tools = dot === -1 || before === 'all' ? 'all' : new Set(before).add(name.slice(dot + 1));
    selected.set(server, { source, tools });
  }
  return [...selected.values()];
}

async function connectAll(selected: SelectedSource[], signal: AbortSignal): Promise<ConnectedSelection[]> {
  const abandon = new AbortController();
  const either = AbortSignal.any([signal, abandon.signal]);
  let firstFailure: unknown;
  const outcomes = await Promise.allSettled(
    selected.map(async (entry) => {
      try {
        return { ...entry, connection: await entry.source.connect(either) };
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
  { source, tools, connection }: ConnectedSelection,
  warn: ToolConnectorOptions['warn'],
): ToolDefinition[] {
  if (tools === 'all') {
    if (connection.tools.length === 0) warn('an MCP server offers no tools', { server: source.name });
    return [...connection.tools];
  }
  return [...tools].flatMap((tool) => {
    // A server that lists a name twice means the last one, as everywhere.
    const found = connection.tools.findLast(({ name }) => name === `${source.name}.${tool}`);
    if (found !== undefined) return [found];
    warn('an agent names a tool its MCP server does not have', { server: source.name, tool });
    return [];
  });
}

function executor(offered: OfferedTool[], connections: ConnectedSource[]): ToolExecutor {
  const byName = new Map(offered.map((entry) => [entry.definition.name, entry]));
  const definitions = [...byName.values()].map(({ definition }) => definition).sort(byCodeUnits);

  return {
    list: () => definitions,
    async execute(call, options) {
      options.signal.throwIfAborted();
      const startedAt = performance.now();
      const found = byName.get(call.name);
      const outcome =
        found === undefined ? unknownTool(call, definitions) : await found.source.call(call, options);
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

/** Not by locale: the order must be the same on every machine. */
function byCodeUnits(a: ToolDefinition, b: ToolDefinition): number {
  return a.name < b.name ? -1 : 1;
}

function unknownTool({ name }: ToolCall, definitions: ToolDefinition[]): ToolOutcome {
  const names = definitions.map((definition) => definition.name).join(', ') || 'none';
  const content = `There is no tool "${name}". Available tools: ${names}.`;
  return { content, isError: true, timedOut: false };
}
