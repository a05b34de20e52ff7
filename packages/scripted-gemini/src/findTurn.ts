// Finds the script's turn for a request, only by the request: repetitions get equal responses.

import { type ApiError, invalidArgument } from './apiError.ts';
import { listDeclarations } from './checkConfig.ts';
import { cutExcerpt } from './quotedResults.ts';
import type { GenerateRequest, RequestContent } from './requestSchema.ts';
import type { Conversation, ParsedScript, Turn } from './script.ts';

/** Longest text of a request that is quoted in an error, in characters. */
const MAX_EXCERPT = 120;

/** The turn that answers a request. */
export interface FoundTurn {
  /** The turn as the script has it. */
  turn: Turn;
  /** Name of the conversation, or its position from 1. */
  conversation: string;
  /** Position of the turn from 1, or the conclusion. */
  number: number | 'conclusion';
  /** The `modelVersion` of the answer. Default: `scripted` and the name of the model. */
  modelVersion?: string;
}

/** Finds the turn of a script that answers a request to a model, or the API's error. */
export type FindTurn = (
  script: ParsedScript,
  model: string,
  request: GenerateRequest,
) => FoundTurn | { error: ApiError };

/** The turn of the first conversation that fits, or an error 400 with the available conversations. */
export const findTurn: FindTurn = (script, model, request) => {
  const { contents = [] } = request;
  const conversation = findConversation(script, model, request);
  if (conversation === undefined) {
    const known = script.conversations.map(
      (entry, i) => `conversation "${nameConversation(entry, i)}" when ${JSON.stringify(entry.when)}`,
    );
    return noTurnError(
      `no conversation matches model ${model}, system instruction ${quoteExcerpt(joinText(request.systemInstruction))}, first user content ${quoteExcerpt(joinText(contents[0]))}; the script has: ${known.join('; ')}`,
    );
  }

  const name = nameConversation(conversation, script.conversations.indexOf(conversation));
  const withoutTools = listDeclarations(request).length === 0;
  if (withoutTools && conversation.conclusion && conversation.turns.some(callsTools)) {
    return { turn: conversation.conclusion, conversation: name, number: 'conclusion' };
  }
  // A conversation about one question does not count the answers to earlier questions.
  const from = conversation.when?.question === undefined ? 0 : findQuestion(contents);
  const number = contents.slice(from).filter((content) => content.role === 'model').length + 1;
  const turn = conversation.turns[number - 1];
  if (turn === undefined) {
    return noTurnError(
      `conversation "${name}" has ${conversation.turns.length} turns, but the request has ${number - 1} model contents, so it asks for turn ${number} (${withoutTools ? 'without' : 'with'} tools); add that turn${withoutTools ? ' or a conclusion' : ''}`,
    );
  }
  if (withoutTools && turn.toolCalls !== undefined && turn.finishReason !== 'UNEXPECTED_TOOL_CALL') {
    return noTurnError(
      `turn ${number} of conversation "${name}" calls tools, but the request declares none; add a conclusion, or finishReason UNEXPECTED_TOOL_CALL if that is meant`,
    );
  }
  const missing = missingTools(turn, request);
  if (missing.length > 0) {
    return noTurnError(
      `turn ${number} of conversation "${name}" was made with ${missing.join(', ')}, but the request has no such tool; bind it, or leave that out of the turn`,
    );
  }
  return { turn, conversation: name, number };
};

/** The first conversation whose `when` fits a request. */
export function findConversation(
  script: ParsedScript,
  model: string,
  { systemInstruction, contents = [] }: GenerateRequest,
): Conversation | undefined {
  const system = joinText(systemInstruction);
  const user = joinText(contents[0]);
  const question = joinText(contents[findQuestion(contents)]);
  return script.conversations.find(
    ({ when = {} }) =>
      system.includes(when.system ?? '') &&
      user.includes(when.user ?? '') &&
      question.includes(when.question ?? '') &&
      model.includes(when.model ?? ''),
  );
}

/** The position of the last user content with a text. */
function findQuestion(contents: readonly RequestContent[]): number {
  return contents.findLastIndex((content) => content.role !== 'model' && joinText(content) !== '');
}

function callsTools(turn: Turn): boolean {
  return turn.toolCalls !== undefined || JSON.stringify(turn.chunks ?? []).includes('"functionCall"');
}

function nameConversation(conversation: Conversation, index: number): string {
  return conversation.name ?? String(index + 1);
}

/** The texts of a content, one below the other. */
export function joinText(content: RequestContent | undefined): string {
  return content?.parts?.map((part) => part.text ?? '').join('\n') ?? '';
}

function quoteExcerpt(text: string): string {
  return JSON.stringify(cutExcerpt(text, MAX_EXCERPT));
}

function noTurnError(reason: string): { error: ApiError } {
  return { error: invalidArgument(`Scripted Gemini: ${reason}.`) };
}

/** Native tools of a turn that its request lacks; the API would not give such an answer. */
function missingTools(turn: Turn, request: GenerateRequest): string[] {
  const kinds = new Set((request.tools ?? []).flatMap((tool) => Object.keys(tool)));
  const needed = [
    ...(turn.codeExecutions ? ['codeExecution'] : []),
    ...(turn.grounding?.queries ? ['googleSearch'] : []),
    ...(turn.grounding?.urls.length ? ['urlContext'] : []),
  ];
  return needed.filter((kind) => !kinds.has(kind));
}
