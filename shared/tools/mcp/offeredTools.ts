// Selects the tools of a server's list that agents are offered, once for each list. A later connection with
// the same list gets the same objects, so that callers can cache by identity.

import type { Tool } from '@modelcontextprotocol/client';
import type { McpServerConfig } from '../../contract/mcpServer.ts';
import type { ConnectedSource, ToolDefinition, WithheldTool } from '../../core/contract/tools.ts';
import { closestPattern, matchesAny, matchesPattern } from '../../text/pattern.ts';
import { type Budget, plainSchema } from '../../text/schema/plainSchema.ts';
import { bindArguments, type Labels, listBindings, unknownParameters } from './boundArguments.ts';
import type { ToolList } from './mcpConnection.ts';
import { decideToolAccess, findExternalMark, findToolSettings } from './toolApproval.ts';

/**
 * Steps of writing out the parameters of all tools of a server: some 100 ms. A hundred tools with thirty
 * parameters each take a third of them; references that multiply take any number.
 */
const MAX_STEPS = 10_000;
/** Alerts whose offers are kept for a list. The list itself is read again after a minute. */
const MAX_KEPT = 100;

type Schema = ToolDefinition['inputSchema'];
/** Schemas without their bound parameters, which are the same ones for every alert. */
type FreeSchemas = WeakMap<Schema, Schema>;
type Offer = Required<Pick<ConnectedSource, 'tools' | 'withheld' | 'narrowed'>>;

/** Makes a function that selects offered tools of the server `name`, for these labels. */
export function createOffers(
  name: string,
  config: McpServerConfig,
): (list: ToolList, labels: Labels) => Offer {
  const known = new WeakMap<ToolList, Map<string, Offer>>();
  const free: FreeSchemas = new WeakMap();
  const needsLabels =
    Object.keys(listBindings(config)).length + Object.keys(config.scope?.tools ?? {}).length > 0;
  return (list, labels) => {
    const offers = known.get(list) ?? new Map<string, Offer>();
    known.set(list, offers);
    const key = needsLabels ? JSON.stringify(labels) : '';
    const found = offers.get(key);
    if (found !== undefined) return found;
    const offer = offerTools(name, list, config, labels, free);
    if (offers.size >= MAX_KEPT) offers.clear();
    offers.set(key, offer);
    return offer;
  };
}

/** The tools that agents are allowed to use, by their full names, without the parameters that are bound. */
function offerTools(
  server: string,
  list: ToolList,
  config: McpServerConfig,
  labels: Labels,
  free: FreeSchemas,
): Offer {
  const budget: Budget = { left: MAX_STEPS };
  const refused = list.refused.map(({ name, reason }) => ({ name: `${server}.${name}`, reason }));
  // A name that is listed twice means the last one.
  const tools = [...new Map(list.tools.map((tool) => [`${server}.${tool.name}`, tool]))];
  const schemas = tools.map(([, { inputSchema }]) => inputSchema);
  const bindings = listBindings(config);
  const [unknown] = unknownParameters(schemas, bindings);
  if (unknown !== undefined) {
    const setting = Object.hasOwn(config.arguments, unknown) ? 'arguments' : 'scope';
    const reason = `${setting} binds "${unknown}", which is a parameter of none of the server's tools`;
    const withheld = [...refused, ...tools.map(([name]) => ({ name, reason }))];
    return { tools: [], withheld, narrowed: [] };
  }
  const offered: ToolDefinition[] = [];
  const withheld: WithheldTool[] = [...refused];
  const narrowed: string[] = [];
  for (const [name, tool] of tools) {
    const decided = decideToolAccess(tool, config);
    const binding = bindArguments(tool.inputSchema, bindings, labels);
    const otherLabels = findOtherLabels(tool.name, config.scope, labels);
    if (otherLabels !== undefined) {
      narrowed.push(name);
      withheld.push({ name, reason: otherLabels });
    } else if (decided.kind === 'withheld') withheld.push({ name, reason: decided.reason });
    else if (binding.kind === 'missing') withheld.push({ name, reason: binding.reason });
    else if (isOutside(tool.name, binding.bound, config.scope)) withheld.push({ name, reason: OUTSIDE });
    else {
      const { bound } = binding;
      const inputSchema = free.get(tool.inputSchema) ?? binding.inputSchema;
      free.set(tool.inputSchema, inputSchema);
      if (!isWrittenOut(inputSchema, budget)) {
        withheld.push({ name, reason: TOO_MUCH });
        continue;
      }
      const external = findExternalMark(tool, config);
      const kind = findToolYields(tool.name, config);
      const definition = {
        name,
        description: chooseToolDescription(tool),
        inputSchema,
        ...(external !== undefined && { external }),
        ...(kind !== undefined && { yields: kind }),
        ...(kind === 'state' && config.fields !== undefined && { fields: config.fields }),
        ...(findToolSettings(tool.name, config).costs && { costs: true as const }),
        ...decided.access,
      };
      offered.push(Object.keys(bound).length > 0 ? { ...definition, bound } : definition);
    }
  }
  return { tools: offered, withheld, narrowed };
}

/** Why an alert with these labels does not get the tool; undefined if it does, or if there is no alert. */
function findOtherLabels(tool: string, scope: McpServerConfig['scope'], labels: Labels): string | undefined {
  const pattern = closestPattern(tool, Object.keys(scope?.tools ?? {}));
  if (pattern === undefined || labels === undefined) return undefined;
  const wanted = Object.entries(scope?.tools[pattern]?.labels ?? {});
  const other = wanted.find(
    ([name, values]) =>
      !Object.hasOwn(labels, name) || !values.some((one) => matchesPattern(labels[name] ?? '', one)),
  );
  if (other === undefined) return undefined;
  const [name, values] = other;
  return `scope.tools of its server offers it only to alerts whose label ${name} is ${values.join(' or ')}`;
}

const OUTSIDE =
  'it takes none of the parameters of the scope of its server, so its calls cannot be limited: list it under scope.unscoped if it may be called';

/** Whether calls of a tool cannot be limited to the scope of its server. */
function isOutside(tool: string, bound: Record<string, string>, scope: McpServerConfig['scope']): boolean {
  if (!scope?.keys.length || matchesAny(tool, scope.unscoped)) return false;
  return !scope.keys.some((key) => Object.hasOwn(bound, key));
}

const TOO_MUCH = `the parameters of its server's tools, with all references written out, take more than ${MAX_STEPS} steps to read; name the tools that are needed, and have the server describe fewer parameters`;

/** Has the parameters written out, which is kept for those who need them, while there are steps left. */
function isWrittenOut(inputSchema: Schema, budget: Budget): boolean {
  if (budget.left <= 0) return false;
  plainSchema(inputSchema, budget);
  return budget.left > 0;
}

function findToolYields(tool: string, { yields = {} }: McpServerConfig): ToolDefinition['yields'] {
  const pattern = closestPattern(tool, Object.keys(yields));
  return pattern === undefined ? undefined : yields[pattern];
}

function chooseToolDescription(tool: Tool): string {
  return tool.description ?? tool.title ?? tool.annotations?.title ?? '';
}
