// Checks tools, tool configuration and generation configuration as the API does.
// Each check returns the API's error for a fault, or undefined.

import { type ApiError, invalidArgument } from './apiError.ts';
import { asArray, asObject, isObject } from './json.ts';
import { atLeast, type ModelVersion } from './modelVersion.ts';
import type { GenerateRequest } from './requestSchema.ts';

const MAX_DECLARATIONS = 512;
/** Names that every version of the API accepts; some versions also accept dots and colons. */
const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/;
const PARAMETER_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/** Checks everything but the contents. `vertex`: the request came by the paths of Vertex AI. */
export function checkConfig(
  model: ModelVersion,
  request: GenerateRequest,
  vertex: boolean,
): ApiError | undefined {
  return (
    checkDeclarations(request) ?? checkBuiltInTools(model, request, vertex) ?? checkThinking(model, request)
  );
}

/** All functions that the request declares. */
export function listDeclarations(request: GenerateRequest) {
  return request.tools?.flatMap((tool) => tool.functionDeclarations ?? []) ?? [];
}

function checkDeclarations(request: GenerateRequest): ApiError | undefined {
  const faults: string[] = [];
  for (const [toolIndex, tool] of (request.tools ?? []).entries()) {
    for (const [index, declaration] of (tool.functionDeclarations ?? []).entries()) {
      const where = `tools[${toolIndex}].function_declarations[${index}]`;
      if (!FUNCTION_NAME.test(declaration.name ?? '')) {
        faults.push(
          `* GenerateContentRequest.${where}.name: Invalid function name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9), underscores (_) or dashes (-), with a maximum length of 64.\n`,
        );
      }
      if (declaration.parameters && declaration.parametersJsonSchema) {
        faults.push(
          `* GenerateContentRequest.${where}.parameters_json_schema: parameters and parameters_json_schema are mutually exclusive.\n`,
        );
      }
      faults.push(
        ...parameterFaults(declaration.parametersJsonSchema).map(
          (fault) => `* GenerateContentRequest.${where}.parameters_json_schema${fault}\n`,
        ),
      );
    }
  }
  if (faults.length > 0) return invalidArgument(faults.join(''));

  const names = listDeclarations(request).map((declaration) => declaration.name ?? '');
  if (names.length > MAX_DECLARATIONS) {
    return invalidArgument(
      `The number of function declarations is ${names.length}, the maximum is ${MAX_DECLARATIONS}.`,
    );
  }
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  return duplicate === undefined
    ? undefined
    : invalidArgument(`Duplicate function declaration found: ${duplicate}`);
}

function parameterFaults(schema: Record<string, unknown> | undefined): string[] {
  if (schema === undefined) return [];
  const top = schema.type === 'object' ? [] : ['.type: must be OBJECT for the parameters of a function'];
  return [...top, ...schemaFaults(schema, '')];
}

function schemaFaults(value: unknown, where: string): string[] {
  if (!isObject(value)) return [];
  const { properties, required, items, prefixItems, anyOf, additionalProperties } = value;
  const known = asObject(properties);
  const allows = (type: string) => value.type === type || asArray(value.type).includes(type);
  const faults: string[] = [];

  if (value.enum !== undefined && !allows('string'))
    faults.push(`${where}.enum: only allowed for STRING type`);
  for (const [index, choice] of asArray(value.enum).entries()) {
    if (choice === '') faults.push(`${where}.enum[${index}]: cannot be empty`);
    else if (typeof choice !== 'string') faults.push(`${where}.enum[${index}]: must be a string`);
  }
  if (allows('array') && items === undefined && prefixItems === undefined) {
    faults.push(`${where}.items: missing field.`);
  }
  for (const [index, name] of asArray(required).entries()) {
    if (!Object.hasOwn(known, String(name)))
      faults.push(`${where}.required[${index}]: property is not defined`);
  }
  for (const [name, inner] of Object.entries(known)) {
    if (!PARAMETER_NAME.test(name)) {
      faults.push(
        `${where}.properties[${name}]: Invalid parameter name. Must start with a letter or an underscore. Must be alphameric (a-z, A-Z, 0-9) or underscores (_), with a maximum length of 64.`,
      );
    }
    faults.push(...schemaFaults(inner, `${where}.properties[${name}]`));
  }
  for (const [keyword, list] of Object.entries({ any_of: anyOf, prefix_items: prefixItems })) {
    faults.push(...asArray(list).flatMap((one, i) => schemaFaults(one, `${where}.${keyword}[${i}]`)));
  }
  return [
    ...faults,
    ...schemaFaults(items, `${where}.items`),
    ...schemaFaults(additionalProperties, `${where}.additional_properties`),
  ];
}

function checkBuiltInTools(
  model: ModelVersion,
  request: GenerateRequest,
  vertex: boolean,
): ApiError | undefined {
  const kinds = (request.tools ?? []).flatMap((tool) => Object.keys(tool));
  const builtIn = kinds.some((kind) => kind !== 'functionDeclarations');
  if (!builtIn || listDeclarations(request).length === 0) return undefined;
  if (vertex) return invalidArgument('Multiple tools are supported only when they are all search tools.');
  if (!atLeast(model, 3))
    return invalidArgument('Tool use with function calling is unsupported by the model.');
  if (request.toolConfig?.includeServerSideToolInvocations !== true) {
    return invalidArgument(
      'Please enable tool_config.include_server_side_tool_invocations to use Built-in tools with Function calling.',
    );
  }
  return request.toolConfig.functionCallingConfig?.mode === 'AUTO'
    ? invalidArgument(
        'Function calling mode AUTO is not supported with Built-in tools. Use VALIDATED instead.',
      )
    : undefined;
}

function checkThinking(model: ModelVersion, request: GenerateRequest): ApiError | undefined {
  const { thinkingBudget, thinkingLevel } = request.generationConfig?.thinkingConfig ?? {};
  if (thinkingBudget !== undefined && thinkingLevel !== undefined) {
    return invalidArgument('You can only set only one of thinking budget and thinking level.');
  }
  if (thinkingBudget !== undefined && atLeast(model, 4)) {
    return invalidArgument('Thinking budget is not supported for this model. Use thinking level instead.');
  }
  if (thinkingLevel === undefined) return undefined;
  if (!atLeast(model, 3)) return invalidArgument('Thinking level is not supported for this model.');
  const levels = atLeast(model, 4) ? ['LOW', 'MEDIUM', 'HIGH'] : ['MINIMAL', 'LOW', 'MEDIUM', 'HIGH'];
  return levels.includes(thinkingLevel.toUpperCase())
    ? undefined
    : invalidArgument(`Thinking level ${thinkingLevel} is not supported for this model.`);
}
