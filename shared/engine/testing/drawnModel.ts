// A model that draws its answers: calls of the tools that it is offered, with arguments that fit their
// schemas, and a text in the end. Agents with a script get the answers of the script.

import type { LlmClient, LlmRequest } from '../../core/contract/llm.ts';
import { answerTurn, createScriptClient, SCRIPT_PROVIDER } from '../../llm/scriptClient.ts';
import { asObject } from '../../text/json.ts';
import type { Model } from '../model.ts';
import type { FaultWorld } from './faults.ts';
import type { Random } from './random.ts';
import { pause, type SimulatedProcess } from './simulatedProcess.ts';

/** Answers with calls, at most; then the model concludes. */
const MAX_CALLING_TURNS = 3;
const MAX_CALLS = 2;
/** Levels of nested values that are drawn. */
const MAX_DEPTH = 6;

/**
 * The model of a process.
 * @param model replaces the models of all agents. Default: none.
 */
export function drawnModel(
  process: SimulatedProcess,
  model: Model | undefined,
  scripts: LlmClient,
  world: FaultWorld,
): LlmClient {
  return {
    async generate(given, options) {
      const request = model === undefined ? given : { ...given, model: model.settings };
      options.report.attempts = 1;
      world.traceLine(`${process.name} asks the model`);
      await untilAborted(options.signal, pause(process, world.drawMs(300, 8_000), world));
      if (request.model.provider !== SCRIPT_PROVIDER) return drawAnswer(request, world.random);
      return await world.time.hold(scripts.generate(request, options));
    },
  };
}

/** The client of scripts, which reads each file once. */
export const createScripts = createScriptClient;

function untilAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

function drawAnswer(request: LlmRequest, random: Random): ReturnType<typeof answerTurn> {
  const { tools, messages, responseSchema } = request;
  const turns = messages.filter(({ role }) => role === 'assistant').length;
  const [first, ...others] = tools;
  const mayCall = first !== undefined && turns < MAX_CALLING_TURNS;
  if (mayCall && random.chance(turns === 0 ? 1 : 0.6)) {
    const toolCalls = Array.from({ length: random.int(1, MAX_CALLS) }, () => {
      const { name, inputSchema } = random.pick([first, ...others]);
      return { name, args: asObject(drawValue(inputSchema, random)) };
    });
    return answerTurn({ thinking: '', text: '', toolCalls }, request);
  }
  const text = responseSchema === undefined ? 'Done.' : JSON.stringify(drawValue(responseSchema, random));
  return answerTurn({ thinking: '', text, toolCalls: [] }, request);
}

/** A value that fits a JSON schema, except for patterns and formats. */
function drawValue(schema: unknown, random: Random, depth = 0): unknown {
  const { type, properties, required, items, anyOf, oneOf, ...rest } = asObject(schema);
  if ('const' in rest) return rest.const;
  for (const choices of [rest.enum, anyOf, oneOf]) {
    if (!Array.isArray(choices) || choices.length === 0) continue;
    const chosen: unknown = random.pick(choices as [unknown]);
    return choices === rest.enum ? chosen : drawValue(chosen, random, depth + 1);
  }
  const kind = Array.isArray(type) ? type[0] : type;
  const limit = (name: string, otherwise: number) =>
    typeof rest[name] === 'number' ? rest[name] : otherwise;
  if (kind === 'object') {
    const names = Array.isArray(required) && depth > MAX_DEPTH ? required : Object.keys(asObject(properties));
    return Object.fromEntries(
      names.map((name) => [name, drawValue(asObject(properties)[name], random, depth + 1)]),
    );
  }
  if (kind === 'array') {
    const length = Math.max(limit('minItems', 0), depth > MAX_DEPTH ? 0 : Math.min(1, limit('maxItems', 1)));
    return Array.from({ length }, () => drawValue(items, random, depth + 1));
  }
  if (kind === 'integer' || kind === 'number') {
    const least = Math.ceil(limit('minimum', limit('exclusiveMinimum', 0) + 1));
    const most = Math.floor(limit('maximum', limit('exclusiveMaximum', least + 1_001) - 1));
    const step = limit('multipleOf', 1);
    const drawn = random.int(least, Math.max(least, Math.min(most, least + 1_000)));
    return Math.ceil(drawn / step) * step;
  }
  if (kind === 'boolean') return random.chance(0.5);
  if (kind === 'null') return null;
  return `text-${random.int(1, 9)}`.padEnd(limit('minLength', 0), '-').slice(0, limit('maxLength', 1_000));
}
