// What happens while a question is answered, as server-sent events: chunks of text in OpenAI's form, and events with names
// for all else. Pure.

import type { LiveText } from '../../schema/liveText.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { parseJson } from '../../text/json.ts';
import { SpokenText } from './spokenText.ts';

/** A server-sent event. Without a name it is a chunk of text. */
export interface Sent {
  event?: 'tool_call' | 'action' | 'progress' | 'done' | 'error';
  data: object;
}

/** Which answer chunks belong to. */
export interface AnswerIdentity {
  /** `chatcmpl-…` */
  id: string;
  /** Unix time in seconds. */
  created: number;
  model: string;
}

/** A chunk of text; the last one has none and says why it ends. */
function chunk(
  { id, created, model }: AnswerIdentity,
  delta: { role?: 'assistant'; content?: string },
  finish: 'stop' | null = null,
): Sent {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  return { data: { id, object: 'chat.completion.chunk', created, model, choices } };
}

/** Clients that know no names of events read them as chunks: these have no choices. */
const named = (event: NonNullable<Sent['event']>, data: object): Sent => ({
  event,
  data: { ...data, choices: [] },
});

/** How far it is. `total` counts the iterations that the agent may need, and the end. */
export function progress(step: number, total: number, label: string, status = 'in_progress'): Sent {
  return named('progress', { step, total_steps: total, label, status });
}

/** That no more comes, and why. */
export function done(reason: 'stop' | 'error'): Sent {
  return named('done', { reason });
}

/** Why there is no answer. */
export function failed(message: string, recoverable: boolean, code: string): Sent {
  return named('error', { code: 'stream_error', message, recoverable, details: { code } });
}

/** Turns the events of an answer into what is sent, in their order. Results are matched to calls by id. */
export class AnswerChunks {
  readonly #identity: AnswerIdentity;
  readonly #total: number;
  #step = 1;
  #hasBegun = false;
  readonly #spoken = new SpokenText();

  /** @param total of `progress`. */
  constructor(identity: AnswerIdentity, total: number) {
    this.#identity = identity;
    this.#total = total;
  }

  /** What an event is sent as; nothing for what no client is told. */
  of(event: TimelineEvent): Sent[] {
    switch (event.eventType) {
      case 'llm_response':
      case 'final_analysis':
        return this.#text(this.#spoken.ofStored(event.content, event.iteration));
      case 'llm_tool_call':
      case 'mcp_tool_call': {
        const { toolName, callId, arguments: text } = event.metadata;
        const about = { tool_name: toolName, tool_id: callId };
        const args = parseJson(text) ?? text;
        this.#step = Math.min(this.#step + 1, this.#total - 1);
        return [
          named('tool_call', { ...about, status: 'started' }),
          progress(this.#step, this.#total, `Calling ${toolName}`),
          named('tool_call', { ...about, status: 'executing', arguments: args }),
        ];
      }
      case 'tool_result': {
        const { toolName, callId, isError } = event.metadata;
        const status = isError ? 'failed' : 'completed';
        return [named('tool_call', { tool_name: toolName, tool_id: callId, status, result: event.content })];
      }
      case 'action': {
        const { actionType, payload } = event.metadata;
        const value = payload === undefined ? {} : { payload: parseJson(payload) ?? payload };
        return [named('action', { action_type: actionType, ...value })];
      }
      default:
        return [];
    }
  }

  /** What is sent of what the model says by now. */
  ofLive(live: LiveText): Sent[] {
    return this.#text(this.#spoken.ofLive(live));
  }

  /** The end of an answer. */
  end(): Sent[] {
    return [
      progress(this.#total, this.#total, 'Done', 'completed'),
      chunk(this.#identity, {}, 'stop'),
      done('stop'),
    ];
  }

  #text(content: string): Sent[] {
    if (content === '') return [];
    const role = this.#hasBegun ? {} : { role: 'assistant' as const };
    this.#hasBegun = true;
    return [chunk(this.#identity, { ...role, content })];
  }
}
