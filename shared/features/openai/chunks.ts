// Server-sent events of an answer: chunks of text in OpenAI's form, named events for all else. Pure.

import { AnswerSequence, type SubAgent, type WireForm } from '../../api/foreignClients/answerSequence.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { isObject, parseJson } from '../../text/json.ts';

/** A server-sent event. Without a name it is a chunk of text. */
export interface Sent {
  /** The name. Absent: a chunk of text. */
  event?: 'tool_call' | 'thinking' | 'action' | 'metadata' | 'progress' | 'done' | 'error';
  /** The data, sent as JSON. */
  data: object;
}

/** The answer that chunks belong to. */
export interface AnswerIdentity {
  /** `chatcmpl-…` */
  id: string;
  /** Unix time in seconds. */
  created: number;
  /** The model as the request names it. */
  model: string;
}

/** A chunk of text. The last one has an empty delta and a finish reason. */
function textChunk(
  { id, created, model }: AnswerIdentity,
  delta: { role?: 'assistant'; content?: string },
  finish: 'stop' | null = null,
): Sent {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { data: { id, object: 'chat.completion.chunk', created, model, choices } };
}

/** A named event. Its data have empty `choices`, so clients without named events read it as a chunk. */
const named = (event: NonNullable<Sent['event']>, data: object): Sent => ({
  event,
  data: { ...data, choices: [] },
});

/** The progress of the answer. `total`: the agent's maximum of iterations, and one for the end. */
export function progressEvent(step: number, total: number, label: string, status = 'in_progress'): Sent {
  return named('progress', { step, total_steps: total, label, status });
}

/** The end of the stream, with its reason. */
export function doneEvent(reason: 'stop' | 'error'): Sent {
  return named('done', { reason });
}

/** The failure of an answer: in this API's form, with the `error` object that OpenAI's clients read. */
export function errorEvent(message: string, recoverable: boolean, code: string): Sent {
  const error = { message, type: 'server_error', param: null, code };
  return named('error', { code: 'stream_error', message, recoverable, details: { code }, error });
}

interface AnswerForm {
  /** The execution that answers; those below it are agents that it asks. */
  executionId: string;
  /** `total` of `progress`. */
  total: number;
  /** Whether a structured answer is sent as JSON instead of text. */
  asJson: boolean;
  /** Whether the fields of an observation are also sent as an event `metadata`. */
  withMetadata: boolean;
}

/** Converts the events of an answer into server-sent events, in order. Results are matched to calls by id. */
export class AnswerChunks {
  readonly #identity: AnswerIdentity;
  readonly #form: AnswerForm;
  readonly #sequence: AnswerSequence<Sent>;

  constructor(identity: AnswerIdentity, form: AnswerForm) {
    this.#identity = identity;
    this.#form = form;
    this.#sequence = new AnswerSequence(openAiForm(identity, form), form);
  }

  /** The server-sent events of a timeline event; none for events that clients do not get. */
  of(event: TimelineEvent): Sent[] {
    return this.#sequence.of(event);
  }

  /** The chunks for the current output of a model. */
  ofLive(live: LiveText): Sent[] {
    return this.#sequence.ofLive(live);
  }

  /** The end of an answer. */
  end(): Sent[] {
    const { total } = this.#form;
    return [
      ...this.#sequence.end(),
      progressEvent(total, total, 'Done', 'completed'),
      textChunk(this.#identity, {}, 'stop'),
      doneEvent('stop'),
    ];
  }
}

/** The name of an asked agent; empty for the agent that answers. */
const nameAgent = (agent: SubAgent | undefined): { agent_name?: string } =>
  agent === undefined ? {} : { agent_name: agent.name };

function openAiForm(
  identity: AnswerIdentity,
  { executionId: own, total, withMetadata }: AnswerForm,
): WireForm<Sent> {
  let hasStarted = false;
  return {
    text(content) {
      const role = hasStarted ? {} : { role: 'assistant' as const };
      hasStarted = true;
      return [textChunk(identity, { ...role, content })];
    },
    thought: (content, agent) => [named('thinking', { content, ...nameAgent(agent) })],
    call({ executionId, iteration, metadata }, agent) {
      const { toolName, callId, arguments: text } = metadata;
      const about = { tool_name: toolName, tool_id: callId, ...nameAgent(agent) };
      const args = parseJson(text) ?? text;
      const step = Math.min((iteration ?? 1) + 1, total - 1);
      return [
        named('tool_call', { ...about, status: 'started' }),
        ...(executionId === own ? [progressEvent(step, total, `Calling ${toolName}`)] : []),
        named('tool_call', { ...about, status: 'executing', arguments: args }),
      ];
    },
    result({ content, metadata: { toolName, callId, isError } }, agent) {
      const about = { tool_name: toolName, tool_id: callId, ...nameAgent(agent) };
      return [named('tool_call', { ...about, status: isError ? 'failed' : 'completed', result: content })];
    },
    action({ metadata: { actionType, payload } }) {
      const fields = payload === undefined ? undefined : (parseJson(payload) ?? payload);
      const value = fields === undefined ? {} : { payload: fields };
      const isMetadata = withMetadata && actionType === 'observation' && isObject(fields);
      return [
        named('action', { action_type: actionType, ...value }),
        ...(isMetadata ? [named('metadata', fields)] : []),
      ];
    },
    structured: (output, { name, question }) => [
      named('tool_call', {
        tool_name: name,
        tool_id: `${name}_structured_output`,
        status: 'completed',
        arguments: { input_text: question },
        result: parseJson(output) ?? output,
      }),
    ],
  };
}
