// Connects the tool sources that an agent can use, offers the allowed tools and runs calls. Unknown tools,
// durations and the size limit of results are handled here for all sources.

import { leastExternal } from '../core/contract/externalTools.ts';
import { KEEPS_LEDGER } from '../core/contract/ledgerTool.ts';
import type {
  ConnectedSource,
  ConnectOptions,
  ConnectTools,
  MissingSource,
  ResultSettings,
  ToolCall,
  ToolDefinition,
  ToolExecutor,
  ToolOutcome,
  ToolResult,
  ToolSource,
} from '../core/contract/tools.ts';
import { errorMessage, InquestError, RetryableError, TerminalError } from '../core/errors.ts';
import { makeVisible } from '../text/hiddenCharacters.ts';
import { limitBytes, limitText } from '../text/limitText.ts';

/** UTF-8 bytes of a large result that are kept; of a longer one head and tail. */
const MAX_STORED_BYTES = 5_000_000;

/** How a connector is made. */
interface ToolConnectorOptions {
  /** Called about configuration that has no effect, such as a tool its server does not have. */
  warn: (message: string, fields: Record<string, unknown>) => void;
}

/** Makes the runtime's tool connector. It connects only an agent's allowed sources, all at once. */
export function createToolConnector(
  sources: readonly ToolSource[],
  { warn }: ToolConnectorOptions,
): ConnectTools {
  const warned = new Set<string>();
  /** Warns once per process: the configuration does not change between iterations. */
  const warnOnce: ToolConnectorOptions['warn'] = (message, fields) => {
    const key = JSON.stringify([message, fields]);
    if (warned.has(key)) return;
    warned.add(key);
    warn(message, fields);
  };
  return async (allowed, options) => {
    const selected = selectSources(allowed, sources).filter(({ source }) => !options.skip?.has(source.name));
    const { connected, missing } = await connectAll(selected, options);
    const picked = connected.flatMap((selected) =>
      pickTools(selected, warnOnce).map((definition) => ({
        definition,
        source: selected.connection,
      })),
    );
    const absent = sources.filter(
      ({ name }) => isNamedTool(name, allowed) && !connected.some(({ source }) => source.name === name),
    );
    const kept = options.outsideTools === 'together' ? picked : keepApart(picked, absent, options, warnOnce);
    return createExecutor(kept, connected, missing);
  };
}

/** A source that an agent is allowed to use, wholly or by some of its tools. */
interface SelectedSource {
  /** The configured source. */
  source: ToolSource;
  /** Names of the allowed tools, without the source's name. */
  tools: 'all' | Set<string>;
}

interface ConnectedSelection extends SelectedSource {
  /** Open until the executor closes it. */
  connection: ConnectedSource;
}

interface PickedTool {
  /** The tool as the agent is offered it. */
  definition: ToolDefinition;
  /** The connection that runs its calls. */
  source: ConnectedSource;
}

function selectSources(allowed: string[], sources: readonly ToolSource[]): SelectedSource[] {
  const known = new Map(sources.map((source) => [source.name, source]));
  const selected = new Map<string, SelectedSource>();
  for (const name of allowed.filter((one) => !one.startsWith(KEEPS_LEDGER))) {
    const dot = name.indexOf('.');
    const server = dot === -1 ? name : name.slice(0, dot);
    const source = known.get(server);
    if (source === undefined) {
      const names = [...known.keys()].sort().join(', ') || 'none';
      throw new TerminalError(
        'CONFIG_UNKNOWN_SERVER',
        `an agent is allowed to use "${name}", but no MCP server "${server}" is configured (configured: ${names})`,
      );
    }
    const before = selected.get(server)?.tools;
    const tools = dot === -1 || before === 'all' ? 'all' : new Set(before).add(name.slice(dot + 1));
    selected.set(server, { source, tools });
  }
  return [...selected.values()];
}

async function connectAll(
  selected: SelectedSource[],
  options: ConnectOptions,
): Promise<{ connected: ConnectedSelection[]; missing: MissingSource[] }> {
  const connected: ConnectedSelection[] = [];
  const missing: MissingSource[] = [];
  const outcomes = await Promise.allSettled(
    selected.map(async (entry) => {
      const connection = await connectSource(entry.source, options);
      if ('error' in connection) missing.push(connection);
      else {
        connected.push({ ...entry, connection });
        missing.push(...(connection.missing ?? []));
      }
    }),
  );
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return { connected, missing: missing.sort(byCodeUnits) };
  await Promise.all(connected.map(({ connection }) => connection.close()));
  throw failed.reason;
}

async function connectSource(
  source: ToolSource,
  { signal, giveUp, retry, ...options }: ConnectOptions,
): Promise<ConnectedSource | MissingSource> {
  const { name } = source;
  const either = giveUp === undefined ? signal : AbortSignal.any([signal, giveUp]);
  for (let attempts = 1; ; attempts++) {
    try {
      return await source.connect(either, options);
    } catch (error) {
      signal.throwIfAborted();
      if (giveUp?.aborted) return { name, error: tooLate(name, giveUp) };
      if (!(error instanceof InquestError)) throw error;
      const again = error instanceof RetryableError && (await retry?.(name, attempts)) === true;
      signal.throwIfAborted();
      if (!again) return { name, error };
    }
  }
}

function tooLate(name: string, { reason }: AbortSignal): RetryableError {
  return new RetryableError('TOOL_SERVER_UNAVAILABLE', `"${name}" is unavailable: ${errorMessage(reason)}`);
}

function pickTools(
  { source, tools, connection }: ConnectedSelection,
  warn: ToolConnectorOptions['warn'],
): ToolDefinition[] {
  const { withheld = [] } = connection;
  if (tools === 'all') {
    if (connection.tools.length === 0) warn('an MCP server offers no tools', { server: source.name });
    for (const { name, reason } of withheld) warn(`a tool is not offered: ${reason}`, { tool: name });
    return [...connection.tools];
  }
  return [...tools].flatMap((tool) => {
    // A server that lists a name twice means the last one, as everywhere.
    const found = connection.tools.findLast(({ name }) => name === `${source.name}.${tool}`);
    if (found !== undefined) return [found];
    const held = withheld.find(({ name }) => name === `${source.name}.${tool}`);
    if (held !== undefined) warn(`a tool is not offered: ${held.reason}`, { tool: held.name });
    else warn('an agent names a tool its MCP server does not have', { server: source.name, tool });
    return [];
  });
}

function isNamedTool(source: string, allowed: readonly string[]): boolean {
  return allowed.some((name) => name === source || name.startsWith(`${source}.`));
}

/**
 * Keeps only the tools that fit the agent's most private tools, including tools of sources that are
 * unavailable now.
 */
function keepApart(
  picked: PickedTool[],
  absent: readonly ToolSource[],
  { hasPrivate }: Pick<ConnectOptions, 'hasPrivate'>,
  warn: ToolConnectorOptions['warn'],
): PickedTool[] {
  const kept = leastExternal([
    ...picked.flatMap(({ definition }) => (definition.neutral ? [] : [definition.external])),
    ...absent.map(({ external }) => external),
    ...(hasPrivate ? [undefined] : []),
  ]);
  const isKept = ({ external, neutral }: ToolDefinition) => neutral === true || external === kept;
  for (const { definition } of picked) {
    if (isKept(definition)) continue;
    const reason =
      definition.external === 'outside'
        ? 'it reaches outside, and the agent has private tools: give it to another agent, or set outsideTools: together'
        : 'its server hints that it reaches outside (openWorldHint), and the agent has private tools: set reaches: inside for the server if it does not, else give it to another agent, or set outsideTools: together';
    warn(`a tool is not offered: ${reason}`, { tool: definition.name });
  }
  return picked.filter(({ definition }) => isKept(definition));
}

/** The text within its limit, and beside it the whole of one that is cut. */
function limitResult(
  text: string,
  settings: ResultSettings | undefined,
  maxResultBytes: number,
): Pick<ToolResult, 'content' | 'truncated' | 'large'> {
  const { maxBytes = maxResultBytes, summarizeWith } = settings ?? {};
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { content: text.toWellFormed(), truncated: false };
  const kept = bytes.length <= MAX_STORED_BYTES ? text.toWellFormed() : limitBytes(bytes, MAX_STORED_BYTES);
  const large = { text: kept, bytes: bytes.length, maxBytes, ...(summarizeWith && { summarizeWith }) };
  return { content: limitBytes(bytes, maxBytes), truncated: true, large };
}

function createExecutor(
  picked: PickedTool[],
  connected: ConnectedSelection[],
  missing: MissingSource[],
): ToolExecutor {
  const byName = new Map(picked.map((entry) => [entry.definition.name, entry]));
  const definitions = [...byName.values()].map(({ definition }) => definition).sort(byCodeUnits);

  return {
    offered: connected.map(({ source, connection: { tools, instructions, scope, results, narrowed } }) => ({
      source: source.name,
      tools,
      ...(instructions !== undefined && { instructions }),
      ...(scope !== undefined && { scope }),
      ...(results !== undefined && { results }),
      ...(narrowed !== undefined && { narrowed }),
    })),
    missing,
    list: () => definitions,
    async execute(call, options) {
      options.signal.throwIfAborted();
      const startedAt = performance.now();
      const found = byName.get(call.name);
      const outcome =
        found === undefined
          ? (callOfMissing(call, missing) ?? unknownTool(call, definitions))
          : await found.source.call(call, options);
      const masked = await options.mask(outcome.content);
      return {
        callId: call.callId,
        name: call.name,
        ...limitResult(makeVisible(masked.text), found?.source.results, options.maxResultBytes),
        ...(masked.count > 0 && { masked: masked.count }),
        isError: outcome.isError,
        durationMs: Math.round(performance.now() - startedAt),
        timedOut: outcome.timedOut,
        ...(outcome.noAnswer && { noAnswer: true }),
        ...(outcome.unknownTool && { unknownTool: true }),
        ...(found?.definition.yields !== undefined && { yields: found.definition.yields }),
        ...(found?.definition.fields !== undefined && { fields: found.definition.fields }),
      };
    },
    async probe(call, options) {
      options.signal.throwIfAborted();
      const source = byName.get(call.name)?.source;
      const content = `${call.name} cannot be probed: it is not offered, or nothing is configured for that.`;
      if (source?.probe === undefined) return { answer: 'unclear', content };
      const probed = await source.probe(call, options);
      const { text } = await options.mask(probed.content);
      return { ...probed, content: limitText(makeVisible(text), options.maxResultBytes).content };
    },
    async close() {
      await Promise.all(connected.map(({ connection }) => connection.close()));
    },
  };
}

/** Not by locale: the order must be the same on every machine. */
function byCodeUnits(a: { name: string }, b: { name: string }): number {
  return a.name < b.name ? -1 : 1;
}

function callOfMissing({ name }: ToolCall, missing: readonly MissingSource[]): ToolOutcome | undefined {
  const source = missing.find((one) => name.startsWith(`${one.name}.`));
  if (source === undefined) return undefined;
  const content = `${name} could not be run: ${source.error.message}`;
  return { content, isError: true, timedOut: false, noAnswer: true };
}

function unknownTool({ name }: ToolCall, definitions: ToolDefinition[]): ToolOutcome {
  const names = definitions.map((definition) => definition.name).join(', ') || 'none';
  const content = `There is no tool "${name}". Available tools: ${names}.`;
  return { content, isError: true, timedOut: false, noAnswer: true, unknownTool: true };
}
