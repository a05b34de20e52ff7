// The schema of a generateContent request. Unknown fields are refused with the API's messages.

import * as z from 'zod';
import { type ApiError, apiError } from './apiError.ts';
import { parseJson } from './json.ts';

const struct = z.record(z.string(), z.unknown());
const anything = z.unknown().optional();
const names = <T extends string>(keys: readonly T[]) =>
  Object.fromEntries(keys.map((key) => [key, anything])) as Record<T, typeof anything>;

const partSchema = z.strictObject({
  text: z.string().optional(),
  functionCall: z
    .strictObject({ id: z.string().optional(), name: z.string().optional(), args: struct.optional() })
    .optional(),
  functionResponse: z
    .strictObject({
      id: z.string().optional(),
      name: z.string().optional(),
      response: struct.optional(),
      ...names(['parts', 'scheduling', 'willContinue']),
    })
    .optional(),
  ...names(['inlineData', 'fileData', 'executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse']),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  ...names(['videoMetadata', 'mediaResolution', 'partMetadata']),
});
/** A part of a content. */
export type RequestPart = z.infer<typeof partSchema>;

const contentSchema = z.strictObject({
  role: z.string().optional(),
  parts: z.array(partSchema).optional(),
});
/** One content: a role and its parts. */
export type RequestContent = z.infer<typeof contentSchema>;

const declarationSchema = z.strictObject({
  name: z.string().optional(),
  description: z.string().optional(),
  parameters: struct.optional(),
  parametersJsonSchema: struct.optional(),
  ...names(['response', 'responseJsonSchema', 'behavior']),
});

const toolSchema = z.strictObject({
  functionDeclarations: z.array(declarationSchema).optional(),
  ...names(['googleSearch', 'urlContext', 'codeExecution', 'fileSearch', 'googleMaps', 'computerUse']),
  ...names(['googleSearchRetrieval', 'enterpriseWebSearch', 'retrieval', 'mcpServers']),
});

const toolConfigSchema = z.strictObject({
  functionCallingConfig: z
    .strictObject({
      mode: z.enum(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED']).optional(),
      allowedFunctionNames: z.array(z.string()).optional(),
      streamFunctionCallArguments: z.boolean().optional(),
    })
    .optional(),
  includeServerSideToolInvocations: z.boolean().optional(),
  retrievalConfig: anything,
});

const generationConfigSchema = z.strictObject({
  maxOutputTokens: z.int().optional(),
  temperature: z.number().optional(),
  topP: z.number().optional(),
  topK: z.number().optional(),
  stopSequences: z.array(z.string()).optional(),
  thinkingConfig: z
    .strictObject({
      includeThoughts: z.boolean().optional(),
      thinkingBudget: z.int().optional(),
      thinkingLevel: z.string().optional(),
    })
    .optional(),
  ...names(['candidateCount', 'seed', 'presencePenalty', 'frequencyPenalty', 'responseLogprobs', 'logprobs']),
  ...names(['responseMimeType', 'responseSchema', 'responseJsonSchema', 'responseModalities']),
  ...names(['mediaResolution', 'speechConfig', 'audioTimestamp', 'routingConfig', 'modelSelectionConfig']),
});

const requestSchema = z.strictObject({
  contents: z.array(contentSchema).optional(),
  systemInstruction: contentSchema.optional(),
  tools: z.array(toolSchema).optional(),
  toolConfig: toolConfigSchema.optional(),
  generationConfig: generationConfigSchema.optional(),
  ...names(['model', 'safetySettings', 'cachedContent', 'labels', 'serviceTier', 'modelArmorConfig']),
});
/** The body of a request. */
export type GenerateRequest = z.infer<typeof requestSchema>;

/** The parsed body, or the API's error. Only camelCase field names are accepted. */
export function parseRequest(text: string): { request: GenerateRequest } | { error: ApiError } {
  const body = parseJson(text);
  if (body === undefined) {
    return { error: apiError(400, 'Invalid JSON payload received. Unable to parse the request body.') };
  }
  const result = requestSchema.safeParse(body);
  if (result.success) return { request: result.data };
  const violations = result.error.issues.flatMap(toFieldViolations);
  const details = [{ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: violations }];
  return {
    error: apiError(400, describeFault(result.error), { details }),
  };
}

/** All faults of a body, one a line, as the API words them. */
export function describeFault(error: z.core.$ZodError): string {
  return error.issues
    .flatMap(toFieldViolations)
    .map(({ description }) => description)
    .join('\n');
}

function toFieldViolations(issue: z.core.$ZodIssue): { field?: string; description: string }[] {
  const field = fieldPath(issue.path);
  if (issue.code !== 'unrecognized_keys') {
    const expected = issue.code === 'invalid_type' ? issue.expected : issue.message;
    return [{ field, description: `Invalid value at '${field}' (${expected})` }];
  }
  const where = field === '' ? '' : ` at '${field}'`;
  return issue.keys.map((key) => ({
    ...(field === '' ? {} : { field }),
    description: `Invalid JSON payload received. Unknown name "${key}"${where}: Cannot find field.`,
  }));
}

/** A path as the API writes it: `contents[0].parts[1].function_call`. */
function fieldPath(path: PropertyKey[]): string {
  return path
    .map((key) =>
      typeof key === 'number'
        ? `[${key}]`
        : `.${String(key).replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)}`,
    )
    .join('')
    .slice(1);
}
