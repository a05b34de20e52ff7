// Histories that no recording shows accepted, each asked for with the client itself: an answer of the model,
// changed where the shape needs it, goes back to it with a further message.

import type {
  ConversationMessage,
  LlmClient,
  LlmRequest,
  LlmResponse,
} from '../../shared/core/contract/llm.ts';
import type { ToolDefinition } from '../../shared/core/contract/tools.ts';
import { textMessage } from '../../shared/core/schema/textMessage.ts';
import { isObject } from '../../shared/text/json.ts';

type Part = Record<string, unknown>;
type Asked = Pick<LlmRequest, 'messages'> & Partial<Pick<LlmRequest, 'tools' | 'nativeTools'>>;

/** A shape, and a conversation that sends it. */
export interface Shape {
  name: string;
  /** The first message; scripts recognise the shape by it. */
  prompt: string;
  /** Tools of the first request. */
  first: Omit<Asked, 'messages'>;
  /** Whether the answer has what the shape is made of. Without it, nothing was tried. */
  isGiven(parts: Part[]): boolean;
  /** The answer as it goes back. */
  change(answer: ConversationMessage): ConversationMessage;
  /** The last message, and the tools of the second request. */
  second: Omit<Asked, 'messages'> & { prompt?: string };
}

const CLOCK: ToolDefinition = {
  name: 'clock.now',
  description: 'The current time. It takes no arguments.',
  inputSchema: { type: 'object', properties: {} },
  readOnly: true,
};

/** The shapes, each with the question whether the API accepts it. */
export const SHAPES: Shape[] = [
  {
    name: 'code parts without ids',
    prompt: 'Run code to compute 12345 * 6789, and say the result.',
    first: { nativeTools: ['code_execution'] },
    isGiven: (parts) => parts.some((part) => part.executableCode !== undefined),
    change: (answer) => withParts(answer, withoutCodeIds),
    second: { prompt: 'Run code to halve it.', nativeTools: ['code_execution'] },
  },
  {
    name: 'a call without arguments',
    prompt: 'Call the tool for the current time.',
    first: { tools: [CLOCK] },
    isGiven: (parts) => parts.some((part) => part.functionCall !== undefined),
    change: (answer) => withParts(answer, withoutArguments),
    second: { tools: [CLOCK] },
  },
  {
    name: 'a forced conclusion after server tools',
    prompt: 'Search the web for the latest release of Node.js. Then call the tool for the current time.',
    first: { tools: [CLOCK], nativeTools: ['google_search'] },
    isGiven: (parts) => parts.some((part) => part.toolCall !== undefined),
    change: (answer) => answer,
    second: { prompt: 'No tools can be called any more. Conclude on what is known.' },
  },
  {
    name: 'signed text',
    prompt: 'Think hard: which day of the week was 29 February 2000? Answer with one word.',
    first: {},
    isGiven: isTextSigned,
    change: (answer) => answer,
    second: { prompt: 'And the day a week before?' },
  },
  {
    name: 'signed text that is rebuilt from its blocks',
    prompt: 'Think hard: how many primes lie between 100 and 150? Answer with one number.',
    first: {},
    isGiven: isTextSigned,
    change: ({ role, blocks }) => ({ role, blocks }),
    second: { prompt: 'And between 150 and 200?' },
  },
];

/**
 * Sends a shape.
 * @returns how the API refused the second request before it was repaired; nothing when the shape was accepted
 * as it is.
 * @throws Error when the first answer does not have what the shape is made of; what the client throws.
 */
export async function sendShape(shape: Shape, client: LlmClient, model: string): Promise<string[]> {
  const begin: ConversationMessage[] = [textMessage('user', shape.prompt)];
  const { response } = await ask(client, model, { ...shape.first, messages: begin });
  if (!shape.isGiven(partsOf(response.replay))) {
    throw new Error(
      `not tried: the answer has no parts for "${shape.name}"; run it again, or on another model`,
    );
  }
  const { prompt, ...tools } = shape.second;
  const messages = [
    ...begin,
    shape.change(answerMessage(response)),
    ...results(response),
    ...(prompt === undefined ? [] : [textMessage('user', prompt)]),
  ];
  const { errors } = await ask(client, model, { ...tools, messages });
  // A server that is busy says nothing about the shape.
  return errors.filter((error) => error.startsWith('MODEL_BAD_REQUEST'));
}

async function ask(
  client: LlmClient,
  model: string,
  asked: Asked,
): Promise<{ response: LlmResponse; errors: string[] }> {
  const report = { requestBytes: 0, responseBytes: 0, attempts: 0, attemptErrors: [] };
  const request = {
    model: { provider: 'google' as const, model, includeThoughts: true },
    tools: [],
    ...asked,
  };
  const response = await client.generate(request, { signal: new AbortController().signal, report });
  return { response, errors: report.attemptErrors };
}

function answerMessage({ blocks, replay }: LlmResponse): ConversationMessage {
  return { role: 'assistant', blocks, ...(replay !== undefined && { replay }) };
}

function results({ toolCalls }: LlmResponse): ConversationMessage[] {
  const blocks = toolCalls.map(({ callId, name }) => ({
    blockType: 'tool_result' as const,
    toolUseId: callId,
    toolName: name,
    isError: false,
    textContent: '2026-11-22T08:00:00Z',
  }));
  return blocks.length === 0 ? [] : [{ role: 'tool', blocks }];
}

function partsOf(replay: LlmResponse['replay']): Part[] {
  const parts: unknown = JSON.parse(replay?.data ?? '[]');
  return Array.isArray(parts) ? parts.filter(isObject) : [];
}

function withParts(answer: ConversationMessage, change: (part: Part) => Part): ConversationMessage {
  if (answer.replay === undefined) return answer;
  return {
    ...answer,
    replay: { ...answer.replay, data: JSON.stringify(partsOf(answer.replay).map(change)) },
  };
}

/** As Gemini 2 writes code: no ids, no signatures. */
function withoutCodeIds(part: Part): Part {
  const { executableCode, codeExecutionResult, thoughtSignature: _, ...rest } = part;
  if (isObject(executableCode)) return { ...rest, executableCode: withoutKey(executableCode, 'id') };
  if (isObject(codeExecutionResult)) {
    return { ...rest, codeExecutionResult: withoutKey(codeExecutionResult, 'id') };
  }
  return part;
}

function withoutArguments(part: Part): Part {
  return isObject(part.functionCall)
    ? { ...part, functionCall: withoutKey(part.functionCall, 'args') }
    : part;
}

function withoutKey(object: Part, key: string): Part {
  return Object.fromEntries(Object.entries(object).filter(([name]) => name !== key));
}

function isTextSigned(parts: Part[]): boolean {
  return parts.some((part) => typeof part.text === 'string' && typeof part.thoughtSignature === 'string');
}
