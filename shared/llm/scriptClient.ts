// The client of scripted models: answers from a file instead of a model, for programs without a key. The file
// has the form of local/scriptedGemini/script.ts, of which this client reads conversations with texts and
// calls: it sends nothing, so it has no failures, delays or native tools.

import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import * as z from 'zod';
import type { ConversationMessage, LlmClient, LlmRequest, LlmResponse } from '../core/contract/llm.ts';
import { scriptedVersion } from '../core/contract/scriptedModel.ts';
import { TerminalError } from '../core/errors.ts';
import type { Block } from '../core/schema/block.ts';
import { firstFault } from '../text/zodIssues.ts';

/** The provider of scripted models; the model's name is the path of its file. */
export const SCRIPT_PROVIDER = 'script';

const turnSchema = z
  .strictObject({
    thinking: z.string().default(''),
    text: z.string().default(''),
    toolCalls: z
      .array(z.strictObject({ name: z.string().min(1), args: z.record(z.string(), z.unknown()).default({}) }))
      .default([]),
  })
  .refine(({ text, toolCalls }) => text !== '' || toolCalls.length > 0, 'must have text or toolCalls');

type ScriptTurn = z.output<typeof turnSchema>;

const scriptSchema = z.strictObject({
  conversations: z
    .array(
      z.strictObject({
        name: z.string().min(1).optional(),
        when: z.string().default(''),
        turns: z.array(turnSchema).min(1),
        conclusion: turnSchema.optional(),
      }),
    )
    .min(1),
});
type Script = z.output<typeof scriptSchema>;

/**
 * A client that reads each file once. The first conversation whose `when` occurs in the system prompt
 * answers, with one turn for each answer that the conversation has already.
 */
export function createScriptClient(): LlmClient {
  const scripts = new Map<string, Promise<Script>>();
  return {
    async generate(request, { signal, report }) {
      signal.throwIfAborted();
      const file = request.model.model;
      const script = scripts.get(file) ?? loadScript(file);
      scripts.set(file, script);
      report.attempts = 1;
      const turn = findTurn(await script, request);
      return answerTurn(turn, request);
    },
  };
}

async function loadScript(file: string): Promise<Script> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new TerminalError('CONFIG_INVALID', `the script ${file} cannot be read`, { cause });
  });
  const value: unknown = parse(text);
  const script = scriptSchema.safeParse(value);
  if (script.success) return script.data;
  throw new TerminalError('CONFIG_INVALID', `${file}: ${firstFault(script.error, value)}`);
}

function findTurn({ conversations }: Script, { model, messages, tools }: LlmRequest): ScriptTurn {
  const system = messages
    .filter(({ role }) => role === 'system')
    .map(readText)
    .join('\n');
  const found = conversations.find(({ when }) => system.includes(when));
  if (found === undefined) throw missing(model.model, 'no conversation whose `when` is in the system prompt');
  const answers = messages.filter(({ role }) => role === 'assistant').length;
  const turn =
    tools.length === 0 && found.turns.some(({ toolCalls }) => toolCalls.length > 0)
      ? (found.conclusion ?? found.turns.findLast(({ toolCalls }) => toolCalls.length === 0))
      : found.turns[answers];
  if (turn === undefined)
    throw missing(model.model, `${found.turns.length} turns, and turn ${answers + 1} is asked for`);
  return turn;
}

function missing(file: string, fault: string): TerminalError {
  return new TerminalError('MODEL_BAD_REQUEST', `the script ${file} has ${fault}`);
}

function readText({ blocks }: ConversationMessage): string {
  return blocks.map((block) => (block.blockType === 'text' ? block.textContent : '')).join('\n');
}

/** The answer of a model that says this. */
export function answerTurn(
  { thinking, text, toolCalls }: ScriptTurn,
  { model, messages }: LlmRequest,
): LlmResponse {
  const calls = toolCalls.map(({ name, args }, index) => ({
    callId: `call-${messages.length}-${index + 1}`,
    name,
    arguments: JSON.stringify(args),
  }));
  const blocks: Block[] = [
    ...(text === '' ? [] : [{ blockType: 'text' as const, textContent: text }]),
    ...calls.map(({ callId, name, arguments: input }) => ({
      blockType: 'tool_use' as const,
      toolUseId: callId,
      toolName: name,
      input,
    })),
  ];
  return {
    text,
    thinking,
    toolCalls: calls,
    blocks,
    groundings: [],
    citations: [],
    codeExecutions: [],
    searchEntryPoint: null,
    usage: null,
    finishReason: 'STOP',
    modelVersion: scriptedVersion(model.model, true),
    finishMessage: null,
    truncated: false,
  };
}
