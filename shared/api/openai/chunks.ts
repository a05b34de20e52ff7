// What happens while a question is answered, as server-sent events: chunks of text in OpenAI's form, and events with names
// for all else. Pure.

import { ACTION } from '../../schema/agent.ts';
import type { LiveText } from '../../schema/liveText.ts';
import type { TimelineEvent } from '../../schema/timelineEvent.ts';
import { isObject, parseJson } from '../../text/json.ts';
import { SpokenText } from './spokenText.ts';

/** A server-sent event. Without a name it is a chunk of text. */
export interface Sent {
  event?: 'tool_call' | 'thinking' | 'action' | 'metadata' | 'progress' | 'done' | 'error';
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

/** Why there is no answer: as this API says it, and with the object that clients of OpenAI look for. */
export function failed(message: string, recoverable: boolean, code: string): Sent {
  const error = { message, type: 'server_error', param: null, code };
  return named('error', { code: 'stream_error', message, recoverable, details: { code }, error });
}

/** Whose answer is sent, and how. */
export interface AnswerForm {
  /** The execution that answers; those below it are agents that it asks. */
  executionId: string;
  /** `total` of `progress`. */
  total: number;
  /** Whether a structured answer is sent as JSON, in the place of its text. */
  asJson: boolean;
  /** Whether the fields of an observation are an event of their own, too. */
  withMetadata: boolean;
}

/** A text that is stored while another agent speaks. */
type StoredText = Pick<TimelineEvent, 'executionId' | 'content' | 'iteration'>;

/** Turns the events of an answer into what is sent, in their order. Results are matched to calls by id. */
export class AnswerChunks {
  readonly #identity: AnswerIdentity;
  readonly #form: AnswerForm;
  #hasBegun = false;
  readonly #said = { hasText: false, stored: new Set<string>() };
  readonly #voices = new Map<string, SpokenText>();
  /** The execution whose text is being sent: two agents that speak at once must not mix their words. */
  #speaker: string | undefined;
  #waiting: StoredText[] = [];
  /** Agents that were asked, by their execution. */
  readonly #asked = new Map<string, { name: string; question: string }>();
  /** The completion of an action, which its event precedes. */
  #completion: Sent[] = [];

  constructor(identity: AnswerIdentity, form: AnswerForm) {
    this.#identity = identity;
    this.#form = form;
  }

  /** What an event is sent as; nothing for what no client is told. */
  of(event: TimelineEvent): Sent[] {
    const { executionId, eventType } = event;
    if (eventType === 'action') return [...this.#action(event.metadata), ...this.#takeCompletion()];
    const before = this.#takeCompletion();
    switch (eventType) {
      case 'task_assigned': {
        const { agentName } = event.metadata;
        this.#asked.set(executionId ?? '', { name: agentName, question: event.content });
        return before;
      }
      case 'llm_thinking':
        return [...before, named('thinking', { content: event.content, ...this.#agentOf(executionId) })];
      case 'llm_response':
        return [...before, ...this.#stored(event)];
      case 'final_analysis':
        return [...before, ...this.#final(event, event.metadata.output)];
      case 'llm_tool_call':
      case 'mcp_tool_call':
        return [...before, ...this.#call(event, event.metadata)];
      case 'tool_result': {
        const { toolName, callId, isError } = event.metadata;
        const about = { tool_name: toolName, tool_id: callId, ...this.#agentOf(executionId) };
        const status = isError ? 'failed' : 'completed';
        const sent = [named('tool_call', { ...about, status, result: event.content })];
        if (toolName !== ACTION || isError) return [...before, ...sent];
        this.#completion = sent;
        return before;
      }
      default:
        return before;
    }
  }

  /** What is sent of what the model says by now. */
  ofLive(live: LiveText): Sent[] {
    const { executionId } = live;
    if (this.#speaker !== undefined && this.#speaker !== executionId) return [];
    const text = this.#voiceOf(executionId).ofLive(live);
    if (text !== '') this.#speaker = executionId;
    return this.#text(text);
  }

  /** The end of an answer. */
  end(): Sent[] {
    return [
      ...this.#takeCompletion(),
      ...this.#takeWaiting(),
      progress(this.#form.total, this.#form.total, 'Done', 'completed'),
      chunk(this.#identity, {}, 'stop'),
      done('stop'),
    ];
  }

  #action({ actionType, payload }: { actionType: string; payload?: string | undefined }): Sent[] {
    const fields = payload === undefined ? undefined : (parseJson(payload) ?? payload);
    const value = fields === undefined ? {} : { payload: fields };
    const isMetadata = this.#form.withMetadata && actionType === 'observation' && isObject(fields);
    return [
      named('action', { action_type: actionType, ...value }),
      ...(isMetadata ? [named('metadata', fields)] : []),
    ];
  }

  #call(
    { executionId, iteration }: TimelineEvent,
    { toolName, callId, arguments: text }: { toolName: string; callId: string; arguments: string },
  ): Sent[] {
    const about = { tool_name: toolName, tool_id: callId, ...this.#agentOf(executionId) };
    const args = parseJson(text) ?? text;
    const { total } = this.#form;
    const step = Math.min((iteration ?? 1) + 1, total - 1);
    const isOwn = executionId === this.#form.executionId;
    return [
      named('tool_call', { ...about, status: 'started' }),
      ...(isOwn ? [progress(step, total, `Calling ${toolName}`)] : []),
      named('tool_call', { ...about, status: 'executing', arguments: args }),
    ];
  }

  /** The answer of the agent, or of one that it asked: that one's fields are an event, as the seed has it. */
  #final(event: StoredText, output: string | undefined): Sent[] {
    const asked = this.#asked.get(event.executionId ?? '');
    if (output === undefined) return this.#stored(event);
    if (asked === undefined) return this.#stored(this.#form.asJson ? { ...event, content: output } : event);
    return [
      named('tool_call', {
        tool_name: asked.name,
        tool_id: `${asked.name}_structured_output`,
        status: 'completed',
        arguments: { input_text: asked.question },
        result: parseJson(output) ?? output,
      }),
    ];
  }

  #stored(event: StoredText): Sent[] {
    const { content, iteration } = event;
    const executionId = event.executionId ?? '';
    const isOther = this.#speaker !== undefined && this.#speaker !== executionId;
    // The agent itself speaks only when all that it asked have ended.
    if (isOther && executionId !== this.#form.executionId) {
      this.#waiting.push(event);
      return [];
    }
    const abandoned = isOther ? this.#takeWaiting() : [];
    const text = this.#voiceOf(executionId).ofStored(content, iteration);
    this.#speaker = undefined;
    return [...abandoned, ...this.#text(text), ...this.#takeWaiting()];
  }

  /** Ends what was being said, and sends what waited for it. */
  #takeWaiting(): Sent[] {
    const abandoned = this.#speaker === undefined ? '' : this.#voiceOf(this.#speaker).abandon();
    this.#speaker = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    return [...this.#text(abandoned), ...waiting.flatMap((text) => this.#stored(text))];
  }

  #takeCompletion(): Sent[] {
    const sent = this.#completion;
    this.#completion = [];
    return sent;
  }

  #voiceOf(executionId: string): SpokenText {
    const voice = this.#voices.get(executionId) ?? new SpokenText(this.#said);
    this.#voices.set(executionId, voice);
    return voice;
  }

  /** Which agent an event is of; nothing for the one that answers. */
  #agentOf(executionId: string | null): { agent_name?: string } {
    const asked = this.#asked.get(executionId ?? '');
    return asked === undefined ? {} : { agent_name: asked.name };
  }

  #text(content: string): Sent[] {
    if (content === '') return [];
    const role = this.#hasBegun ? {} : { role: 'assistant' as const };
    this.#hasBegun = true;
    return [chunk(this.#identity, { ...role, content })];
  }
}
