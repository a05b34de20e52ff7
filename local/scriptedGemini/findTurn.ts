// Finds the script's turn for a request, only by the request: repetitions get equal responses.

import { CLAIMS_ROLE } from '../../shared/prompt/claims.ts';
import { SUMMARY_ROLE } from '../../shared/prompt/executiveSummary.ts';
import { quoteText } from '../../shared/text/cut.ts';
import { type ApiError, invalidArgument } from './apiError.ts';
import { listDeclarations } from './checkConfig.ts';
import { isAbout } from './namedAlert.ts';
import { missingTools } from './nativeTools.ts';
import { noModelTurn } from './noModel.ts';
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
  /** Whether the script names the alert of the request. */
  isNamed: boolean;
}

/**
 * The turn, or an error 400 with the request and the available conversations. A request about an alert that
 * the script does not name gets the answer that no model is connected.
 */
export function findTurn(
  script: ParsedScript,
  model: string,
  request: GenerateRequest,
): FoundTurn | { error: ApiError } {
  const isNamed = script.for?.some((alert) => isAbout(request, alert)) === true;
  if (script.for !== undefined && !isNamed)
    return { turn: noModelTurn(request), conversation: 'no model', number: 1, isNamed };
  const found = findScriptedTurn(script, model, request);
  return 'error' in found ? found : { ...found, isNamed };
}

function findScriptedTurn(
  script: ParsedScript,
  model: string,
  request: GenerateRequest,
): Omit<FoundTurn, 'isNamed'> | { error: ApiError } {
  const system = joinContentText(request.systemInstruction);
  const contents = request.contents ?? [];
  const user = joinContentText(contents[0]);
  const questionIndex = contents.findLastIndex(
    (content) => content.role !== 'model' && joinContentText(content) !== '',
  );
  const question = joinContentText(contents[questionIndex]);
  if (system.includes(SUMMARY_ROLE)) return { turn: script.summary, conversation: 'summary', number: 1 };
  const index = script.conversations.findIndex(
    ({ when = {} }) =>
      system.includes(when.system ?? '') &&
      user.includes(when.user ?? '') &&
      question.includes(when.question ?? '') &&
      model.includes(when.model ?? ''),
  );
  const conversation = script.conversations[index];
  // A script without an own answer about claims concludes the hypotheses that its agents marked as the cause.
  if (system.includes(CLAIMS_ROLE) && conversation?.when?.system === undefined)
    return { turn: claimsTurn(user), conversation: 'claims', number: 1 };
  if (conversation === undefined) {
    const known = script.conversations.map(
      (entry, i) => `conversation "${nameConversation(entry, i)}" when ${JSON.stringify(entry.when)}`,
    );
    return noTurnError(
      `no conversation matches model ${model}, system instruction ${quoteExcerpt(system)}, first user content ${quoteExcerpt(user)}; the script has: ${known.join('; ')}`,
    );
  }

  const name = nameConversation(conversation, index);
  const withoutTools = listDeclarations(request).length === 0;
  if (withoutTools && conversation.conclusion && conversation.turns.some(callsTools)) {
    return { turn: conversation.conclusion, conversation: name, number: 'conclusion' };
  }
  // A conversation about one question does not count the answers to earlier questions.
  const from = conversation.when?.question === undefined ? 0 : questionIndex;
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
}

/** Unindented lines of the ledger's frame are hypotheses. Text of others opens no frame. */
const LEDGER_FRAME = /<data-([0-9a-f]{12}) source="ledger">\n([\s\S]*?)\n<\/data-\1>/;

function claimsTurn(prompt: string): Turn {
  const lines = LEDGER_FRAME.exec(prompt)?.[2]?.split('\n') ?? [];
  const cause = lines.flatMap((line) => /^(\S+) .*\(cause\)/.exec(line)?.slice(1, 2) ?? []);
  return { text: JSON.stringify({ conclusion: cause.length > 0 ? 'cause' : 'unknown', cause }) };
}

function callsTools(turn: Turn): boolean {
  return turn.toolCalls !== undefined || JSON.stringify(turn.chunks ?? []).includes('"functionCall"');
}

function nameConversation(conversation: Conversation, index: number): string {
  return conversation.name ?? String(index + 1);
}

function joinContentText(content: RequestContent | undefined): string {
  return content?.parts?.map((part) => part.text ?? '').join('\n') ?? '';
}

function quoteExcerpt(text: string): string {
  return JSON.stringify(quoteText(text, MAX_EXCERPT));
}

function noTurnError(reason: string): { error: ApiError } {
  return { error: invalidArgument(`Scripted Gemini: ${reason}.`) };
}
