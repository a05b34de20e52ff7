// Makes the entry of an agent, as agents.yaml has it, of an agent that is written as a schema.

import { outputSchema } from '../agents/outputSchema.ts';
import { schemaPrompt } from '../agents/prompt.ts';
import { BUILT_IN_SERVER, BUILT_IN_TOOLS } from '../core/schema/agent.ts';
import type { JsonObject } from '../text/json.ts';
import { closestTo, describeExpected } from '../text/suggest.ts';
import { type AgentDocument, EXTRA_KEYS } from './agentDocument.ts';
import type { AgentEntry, AgentReferences, SchemaSettings } from './agentTypes.ts';
import { quoteName, quotePart } from './configError.ts';
import type { YamlPath } from './yamlFile.ts';

/** Something that has no effect, with its place in the document. */
export interface Remark {
  /** Keys and indices below the document's root. */
  path: YamlPath;
  /** A clause that follows the place, with the remedy: `has no effect without properties: …`. */
  message: string;
  /** Whether the place is that of the key or of its value. Default: `value`. */
  what?: 'key' | 'value';
}

/** The entry, and the parts of the document that have no effect. */
export function entryOfDocument(
  document: AgentDocument,
  known: AgentReferences,
): { entry: AgentEntry; remarks: Remark[] } {
  const { description, properties, required, json_schema_extra: extra } = document;
  const {
    kind: _,
    name: __,
    version,
    system_prompt,
    extension,
    structured_output,
    tools: ___,
    resources,
    asks,
    mcp_servers,
    tags,
    author,
    override_model,
    override_temperature,
    override_max_iterations,
    ...rest
  } = extra;
  const tools = listNamedTools(document, known);
  const systemPrompt = system_prompt ?? extension ?? undefined;
  const hasProperties = Object.keys(properties).length > 0;
  const structuredOutput = structured_output === true && hasProperties;
  const schema: SchemaSettings = {
    version,
    description,
    systemPrompt,
    properties,
    required,
    structuredOutput,
    overrideModel: override_model ?? undefined,
    temperature: override_temperature ?? undefined,
    resources: resources ?? [],
    tags: tags ?? [],
    author: author ?? undefined,
    toolDescriptions: tools.descriptions,
    toolPlaces: tools.places,
  };
  const own = Object.fromEntries(Object.entries(rest).filter(([key]) => EXTRA_KEYS.includes(key)));
  const entry = {
    ...own,
    ...(asks != null && { asks }),
    ...(override_max_iterations != null && { maxIterations: override_max_iterations }),
    instructions: schemaPrompt(schema, structuredOutput),
    tools: tools.names,
    schema,
  } as AgentEntry;
  const remarks: Remark[] = [
    ...tools.remarks,
    ...unknownServers(mcp_servers ?? [], known),
    ...unknownKeys(extra),
  ];
  const note = (key: string, message: string) => remarks.push({ path: ['json_schema_extra', key], message });
  if (system_prompt != null && extension != null)
    note('extension', 'has no effect beside system_prompt, which is used; keep one of the two');
  if (structured_output === true && !hasProperties)
    note('structured_output', 'has no effect without properties: the agent answers with text');
  if (override_model != null && extra.model !== undefined)
    note('model', `has no effect beside override_model, which is used; remove it`);
  return { entry, remarks };
}

/** The JSON schema of an agent's answer; undefined where the answer is text. */
export function chooseOutputSchema(schema: SchemaSettings, isStructured: boolean): JsonObject | undefined {
  if (!isStructured || Object.keys(schema.properties).length === 0) return undefined;
  return outputSchema(schema.properties, schema.required);
}

/** The tools as agents.yaml names them. Omits tools that do not exist: the agent still works without them. */
function listNamedTools(
  { json_schema_extra: { tools, mcp_servers } }: AgentDocument,
  known: AgentReferences,
): { names: string[]; places: number[]; descriptions: Record<string, string>; remarks: Remark[] } {
  const names: string[] = [];
  const places: number[] = [];
  const descriptions = new Map<string, string>();
  const remarks: Remark[] = [];
  for (const [index, { name, server, description }] of (tools ?? []).entries()) {
    const remark = (key: string, message: string) =>
      remarks.push({ path: ['json_schema_extra', 'tools', index, key], message });
    const found = resolveToolName(name, server ?? undefined, mcp_servers ?? [], known);
    if ('message' in found) {
      remark('name', `${found.message}; the agent goes without it`);
      continue;
    }
    const { tool } = found;
    if (!names.includes(tool)) {
      names.push(tool);
      places.push(index);
    }
    if (description == null) continue;
    const isSingle = tool.includes('.') || BUILT_IN_TOOLS.includes(tool);
    if (isSingle) descriptions.set(tool, description);
    else remark('description', `has no effect: ${quoteName(tool)} is a server; name one of its tools`);
  }
  return { names, places, descriptions: Object.fromEntries(descriptions), remarks };
}

function resolveToolName(
  name: string,
  server: string | undefined,
  ownServers: readonly string[],
  { servers, ownSources }: AgentReferences,
): { tool: string } | { message: string } {
  const sources = [...(servers ?? []), ...ownSources];
  const isKnown = (source: string) => servers === undefined || sources.includes(source);
  if (BUILT_IN_TOOLS.includes(name) && (server === undefined || server === BUILT_IN_SERVER)) {
    return { tool: name };
  }
  const [first = '', ...rest] = name.split('.');
  if (server !== undefined || rest.join('.') !== '') {
    const source = server ?? first;
    // A name with a dot can repeat its server.
    const tool = server === undefined || name.startsWith(`${server}.`) ? name : `${server}.${name}`;
    if (isKnown(source)) return { tool };
    return {
      message: `unknown server ${quotePart(source, server ?? name)}; ${describeExpected(source, sources)}`,
    };
  }
  if (sources.includes(name)) return { tool: name };
  const [only, ...others] = ownServers.filter(isKnown);
  if (only !== undefined && others.length === 0) return { tool: `${only}.${name}` };
  const closest = closestTo(name, [...sources, ...BUILT_IN_TOOLS]);
  const hint = closest === undefined ? '' : `; did you mean "${closest}"?`;
  return {
    message: `unknown tool ${quoteName(name)}: set \`server\` to the server of servers.yaml that has it${hint}`,
  };
}

function unknownServers(names: readonly string[], { servers, ownSources }: AgentReferences): Remark[] {
  return names.flatMap((name, index) => {
    const isKnown = name === BUILT_IN_SERVER || ownSources.includes(name) || servers?.includes(name);
    if (servers === undefined || isKnown) return [];
    const message = `unknown server ${quoteName(name)}; ${describeExpected(name, servers)}`;
    return [{ path: ['json_schema_extra', 'mcp_servers', index], message }];
  });
}

/** Keys of `json_schema_extra` that look like known ones. Other keys of other programs are kept. */
export function unknownKeys(extra: JsonObject): Remark[] {
  const { instructions: _, ...keys } = extra;
  return lookAlikes(keys, EXTRA_KEYS, ['json_schema_extra']);
}

/** Keys of a mapping at `path` that look like one of `known`. */
export function lookAlikes(mapping: JsonObject, known: readonly string[], path: YamlPath): Remark[] {
  return Object.keys(mapping).flatMap((key) => {
    const closest = known.includes(key) ? undefined : closestTo(key, known);
    if (closest === undefined) return [];
    const message = `is kept and has no effect; did you mean ${closest}?`;
    return [{ path: [...path, key], message, what: 'key' as const }];
  });
}
