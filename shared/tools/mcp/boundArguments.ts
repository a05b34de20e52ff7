// Parameters of tools that the configuration binds: to a label of the alert, or to a fixed text. The model
// does not see them and cannot set them. Pure.

import type { McpServerConfig } from '../../contract/mcpServer.ts';
import type { ToolDefinition } from '../../core/contract/tools.ts';
import { asObject } from '../../text/json.ts';

/** The labels of an alert; undefined when tools are listed for no alert. */
export type Labels = Readonly<Record<string, string>> | undefined;

type Schema = ToolDefinition['inputSchema'];

/** Exactly one `${labels.name}`. */
const LABEL = /^\$\{labels\.(.+)\}$/;

/** All bound parameters: those of `arguments`, and those of `scope` to labels of equal names. */
export function listBindings({
  arguments: bindings,
  scope,
}: Pick<McpServerConfig, 'arguments' | 'scope'>): Record<string, string> {
  const keys = scope?.keys ?? [];
  return { ...bindings, ...Object.fromEntries(keys.map((key) => [key, `\${labels.${key}}`])) };
}

/** The bound parameters of a tool, or why the tool cannot be offered. */
type Binding =
  | { kind: 'bound'; inputSchema: Schema; bound: Record<string, string> }
  | { kind: 'missing'; reason: string };

/** Removes bound parameters from a tool's schema. Without a label the tool is not offered. */
export function bindArguments(
  inputSchema: Schema,
  bindings: Readonly<Record<string, string>>,
  labels: Labels,
): Binding {
  const properties = asObject(inputSchema.properties);
  const bound: Record<string, string> = {};
  for (const [parameter, text] of Object.entries(bindings)) {
    if (!Object.hasOwn(properties, parameter)) continue;
    const [, label] = LABEL.exec(text) ?? [];
    if (label === undefined) bound[parameter] = text;
    else if (labels === undefined) bound[parameter] = '';
    else if (Object.hasOwn(labels, label)) {
      const value = labels[label] ?? '';
      const values = asObject(properties[parameter]).enum;
      if (Array.isArray(values) && !values.includes(value)) {
        const reason = `its parameter ${parameter} is bound to the label ${label}, whose value in the alert is none of ${values.join(', ')}`;
        return { kind: 'missing', reason };
      }
      bound[parameter] = value;
    } else {
      const reason = `its parameter ${parameter} is bound to the label ${label}, which the alert does not have`;
      return { kind: 'missing', reason };
    }
  }
  if (Object.keys(bound).length === 0) return { kind: 'bound', inputSchema, bound };
  const isFree = (name: unknown): boolean => typeof name === 'string' && !Object.hasOwn(bound, name);
  const { required } = inputSchema;
  return {
    kind: 'bound',
    bound,
    inputSchema: {
      ...inputSchema,
      properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isFree(name))),
      ...(Array.isArray(required) && { required: required.filter(isFree) }),
    },
  };
}

/** A parameter of the model that is bound to another value, or only in the server's other tools. */
export function parameterOutside(
  given: Record<string, unknown>,
  bindings: Readonly<Record<string, string>>,
  bound: Readonly<Record<string, string>>,
): string | undefined {
  return Object.keys(given).find(
    (name) => Object.hasOwn(bindings, name) && !(Object.hasOwn(bound, name) && given[name] === bound[name]),
  );
}

/** Bound parameters that no tool of the server has: a slip that leaves the meant one to the model. */
export function unknownParameters(
  schemas: readonly Schema[],
  bindings: Readonly<Record<string, string>>,
): string[] {
  const known = new Set(schemas.flatMap((schema) => Object.keys(asObject(schema.properties))));
  return Object.keys(bindings).filter((parameter) => !known.has(parameter));
}
