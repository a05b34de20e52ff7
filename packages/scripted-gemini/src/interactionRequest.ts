// A request to create an interaction: its schema, its checks, and the same request in the form of
// generateContent, by which the script's turn is found.

import * as z from 'zod';
import { type ApiError, invalidArgument } from './apiError.ts';
import { asArray, asObject, parseJson } from './json.ts';
import type { ModelVersion } from './modelVersion.ts';
import {
  describeFault,
  type GenerateRequest,
  type RequestContent,
  type RequestPart,
} from './requestSchema.ts';
import { isAcceptedSignature } from './signature.ts';

const struct = z.record(z.string(), z.unknown());
const id = z.string().min(1);
const native = <T extends string>(type: T) => [
  z.strictObject({
    type: z.literal(`${type}_call`),
    id,
    arguments: struct,
    signature: z.string().optional(),
  }),
  z.strictObject({
    type: z.literal(`${type}_result`),
    call_id: id,
    result: z.unknown(),
    is_error: z.boolean().optional(),
    signature: z.string().optional(),
  }),
];

const stepSchema = z.union([
  z.strictObject({ type: z.literal('user_input'), content: z.array(struct).min(1) }),
  z.strictObject({ type: z.literal('model_output'), content: z.array(struct).optional() }),
  z.strictObject({
    type: z.literal('thought'),
    signature: z.string().optional(),
    summary: z.array(struct).optional(),
  }),
  z.strictObject({ type: z.literal('function_call'), id, name: id, arguments: struct }),
  z.strictObject({
    type: z.literal('function_result'),
    call_id: id,
    name: z.string().optional(),
    result: z.unknown(),
    is_error: z.boolean().optional(),
  }),
  ...native('google_search'),
  ...native('code_execution'),
  ...native('url_context'),
]);
/** One step, in the API's names. */
export type Step = Record<string, unknown>;

const toolSchema = z.union([
  z.strictObject({
    type: z.literal('function'),
    name: z.string(),
    description: z.string().optional(),
    parameters: struct.optional(),
  }),
  z.strictObject({ type: z.enum(['google_search', 'code_execution', 'url_context']) }),
]);

const requestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(stepSchema).min(1)]),
  system_instruction: z.string().optional(),
  tools: z.array(toolSchema).optional(),
  generation_config: z
    .strictObject({
      max_output_tokens: z.int().optional(),
      temperature: z.number().optional(),
      thinking_level: z.enum(['minimal', 'low', 'medium', 'high']).optional(),
      thinking_summaries: z.enum(['auto', 'none']).optional(),
      tool_choice: z.unknown().optional(),
    })
    .optional(),
  response_format: z.unknown().optional(),
  service_tier: z.enum(['flex', 'standard', 'priority', 'deferred']).optional(),
  store: z.boolean().default(true),
  stream: z.boolean().default(false),
  background: z.boolean().default(false),
  continuation_token: z.string().optional(),
  labels: struct.optional(),
  webhook_config: z
    .strictObject({ uris: z.array(z.url()).optional(), user_metadata: struct.optional() })
    .optional(),
});
/** The body of a request. */
export type InteractionRequest = z.infer<typeof requestSchema>;

/** The parsed body, or the API's error. */
export function parseInteraction(text: string): { request: InteractionRequest } | { error: ApiError } {
  const body = parseJson(text);
  if (body === undefined) return { error: invalidArgument('Invalid JSON payload received.') };
  const result = requestSchema.safeParse(body);
  if (!result.success) return { error: invalidArgument(describeFault(result.error)) };
  const { background, store, stream } = result.data;
  if (background && !store) return { error: invalidArgument('`background` requires `store` to be true.') };
  if (background && stream)
    return { error: invalidArgument('`background` and `stream` cannot be combined here.') };
  return { request: result.data };
}

/** Signatures must come from this server, and stand on the step that they were made for. */
export function checkSteps(model: ModelVersion, { input }: InteractionRequest): ApiError | undefined {
  const signed = listSteps(input).filter(({ signature }) => signature !== undefined);
  const corrupt = signed.some(
    ({ signature, ...step }) => !isAcceptedSignature(model, step, String(signature)),
  );
  return corrupt ? invalidArgument('Invalid/Corrupted thought signature.') : undefined;
}

function listSteps(input: InteractionRequest['input']): Step[] {
  return typeof input === 'string'
    ? [{ type: 'user_input', content: [{ type: 'text', text: input }] }]
    : (input as Step[]);
}

/** The request as generateContent has it. Calls get the accepted dummy: here only steps are signed. */
export function toGenerateRequest(request: InteractionRequest): GenerateRequest {
  const { system_instruction: system, tools = [], generation_config: config = {} } = request;
  const functions = tools.filter((tool) => tool.type === 'function');
  const declared = functions.map(({ name, description, parameters }) => ({
    name,
    ...(description !== undefined && { description }),
    ...(parameters !== undefined && { parametersJsonSchema: parameters }),
  }));
  const kinds = new Set<string>(tools.map(({ type }) => type));
  return {
    contents: toContents(listSteps(request.input)),
    ...(system !== undefined && { systemInstruction: { parts: [{ text: system }] } }),
    tools: [
      ...(kinds.has('google_search') ? [{ googleSearch: {} }] : []),
      ...(kinds.has('code_execution') ? [{ codeExecution: {} }] : []),
      ...(kinds.has('url_context') ? [{ urlContext: {} }] : []),
      ...(declared.length > 0 ? [{ functionDeclarations: declared }] : []),
    ] as GenerateRequest['tools'] & {},
    toolConfig: { includeServerSideToolInvocations: true },
    generationConfig: {
      thinkingConfig: {
        includeThoughts: config.thinking_summaries === 'auto',
        ...(config.thinking_level !== undefined && { thinkingLevel: config.thinking_level }),
      },
      ...(config.max_output_tokens !== undefined && { maxOutputTokens: config.max_output_tokens }),
    },
  };
}

function toContents(steps: Step[]): RequestContent[] {
  const contents: { role: string; parts: RequestPart[] }[] = [];
  const names = new Map(steps.map(({ id, name }) => [id, name]));
  for (const step of steps) {
    const part = toPart(step, names);
    const role = step.type === 'user_input' || step.type === 'function_result' ? 'user' : 'model';
    const last = contents.at(-1);
    const isResult = part[0]?.functionResponse !== undefined;
    const joins =
      last?.role === role && isResult === last.parts.some((one) => one.functionResponse !== undefined);
    if (joins) last.parts.push(...part);
    else contents.push({ role, parts: part });
  }
  return contents;
}

function toPart(step: Step, names: ReadonlyMap<unknown, unknown>): RequestPart[] {
  switch (step.type) {
    case 'function_call':
      return [
        {
          functionCall: { id: String(step.id), name: String(step.name), args: asObject(step.arguments) },
          thoughtSignature: 'skip_thought_signature_validator',
        },
      ];
    case 'function_result': {
      const output = typeof step.result === 'string' ? step.result : JSON.stringify(step.result);
      const callId = String(step.call_id);
      const name = String(step.name ?? names.get(callId) ?? '');
      return [{ functionResponse: { id: callId, name, response: { output } } }];
    }
    case 'user_input':
    case 'model_output':
      return asArray(step.content)
        .map(asObject)
        .map((content) => ({ text: String(content.text ?? '') }));
    default:
      return [{ text: '' }];
  }
}
