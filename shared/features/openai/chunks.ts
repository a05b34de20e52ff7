// Server-sent events of an answer: chunks of text in OpenAI's form, named events for all else. Pure.

import { ACTION } from '../../core/schema/agent.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { isObject, parseJson } from '../../text/json.ts';
import { answerParts } from '../../text/structuredAnswer.ts';
import { OutputPieces } from './appendOnlyText.ts';
import { LiveThinking } from './liveThinking.ts';

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

type StoredText = Pick<TimelineEvent, 'executionId' | 'content' | 'iteration'>;

/** Converts the events of an answer into server-sent events, in order. Results are matched to calls by id. */
export class AnswerChunks {
  readonly #identity: AnswerIdentity;
  readonly #form: AnswerForm;
  #hasStarted = false;
  readonly #sentTexts = { hasText: false, stored: new Set<string>() };
  readonly #outputs = new Map<string, OutputPieces>();
  readonly #thinking = new LiveThinking();
  /** The execution whose text is being sent: texts of two agents that run at the same time must not mix. */
  #current: string | undefined;
  #waiting: StoredText[] = [];
  /** Agents that were asked, by their execution. */
  readonly #askedAgents = new Map<string, { name: string; question: string }>();
  /** The completion of an action, which is sent after the event of the action. */
  #completion: Sent[] = [];

  constructor(identity: AnswerIdentity, form: AnswerForm) {
    this.#identity = identity;
    this.#form = form;
  }

  /** The server-sent events of a timeline event; none for events that clients do not get. */
  of(event: TimelineEvent): Sent[] {
    const { executionId, eventType } = event;
    if (eventType === 'action') return [...this.#action(event.metadata), ...this.#takeCompletion()];
    const before = this.#takeCompletion();
    switch (eventType) {
      case 'task_assigned': {
        const { agentName } = event.metadata;
        this.#askedAgents.set(executionId ?? '', { name: agentName, question: event.content });
        return before;
      }
      case 'llm_thinking':
        return [...before, ...this.#thought(executionId, this.#thinking.takeStored(event))];
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

  /** The chunks for the current output of a model. */
  ofLive(live: LiveText): Sent[] {
    const { executionId } = live;
    this.#thinking.add(live);
    if (this.#current !== undefined && this.#current !== executionId) return [];
    const text = this.#outputOf(executionId).ofLive(live);
    if (text === '') return [];
    this.#current = executionId;
    return [...this.#thought(executionId, this.#thinking.takeLive(live)), ...this.#text(text)];
  }

  /** The end of an answer. */
  end(): Sent[] {
    return [
      ...this.#takeCompletion(),
      ...this.#takeWaiting(),
      progressEvent(this.#form.total, this.#form.total, 'Done', 'completed'),
      textChunk(this.#identity, {}, 'stop'),
      doneEvent('stop'),
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
      ...(isOwn ? [progressEvent(step, total, `Calling ${toolName}`)] : []),
      named('tool_call', { ...about, status: 'executing', arguments: args }),
    ];
  }

  /** The answer of the agent, or of an asked agent whose structured fields are a completed tool call. */
  #final(event: StoredText, output: string | undefined): Sent[] {
    const agent = this.#askedAgents.get(event.executionId ?? '');
    if (output === undefined) return this.#stored(event);
    if (agent === undefined) {
      const content = this.#form.asJson ? output : (answerParts(output).answer ?? event.content);
      return this.#stored({ ...event, content });
    }
    return [
      named('tool_call', {
        tool_name: agent.name,
        tool_id: `${agent.name}_structured_output`,
        status: 'completed',
        arguments: { input_text: agent.question },
        result: parseJson(output) ?? output,
      }),
    ];
  }

  #stored(event: StoredText): Sent[] {
    const { content, iteration } = event;
    const executionId = event.executionId ?? '';
    const isOther = this.#current !== undefined && this.#current !== executionId;
    // The answering agent writes only after all agents that it asked have ended.
    if (isOther && executionId !== this.#form.executionId) {
      this.#waiting.push(event);
      return [];
    }
    const abandoned = isOther ? this.#takeWaiting() : [];
    const text = this.#outputOf(executionId).ofStored(content, iteration);
    this.#current = undefined;
    return [...abandoned, ...this.#text(text), ...this.#takeWaiting()];
  }

  /** Ends the text that is being sent, and sends the texts that waited for it. */
  #takeWaiting(): Sent[] {
    const abandoned = this.#current === undefined ? '' : this.#outputOf(this.#current).abandon();
    this.#current = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    return [...this.#text(abandoned), ...waiting.flatMap((text) => this.#stored(text))];
  }

  #takeCompletion(): Sent[] {
    const sent = this.#completion;
    this.#completion = [];
    return sent;
  }

  #outputOf(executionId: string): OutputPieces {
    const output = this.#outputs.get(executionId) ?? new OutputPieces(this.#sentTexts);
    this.#outputs.set(executionId, output);
    return output;
  }

  /** The name of the agent of an event; empty for the agent that answers. */
  #agentOf(executionId: string | null): { agent_name?: string } {
    const agent = this.#askedAgents.get(executionId ?? '');
    return agent === undefined ? {} : { agent_name: agent.name };
  }

  #thought(executionId: string | null, content: string): Sent[] {
    return content === '' ? [] : [named('thinking', { content, ...this.#agentOf(executionId) })];
  }

  #text(content: string): Sent[] {
    if (content === '') return [];
    const role = this.#hasStarted ? {} : { role: 'assistant' as const };
    this.#hasStarted = true;
    return [textChunk(this.#identity, { ...role, content })];
  }
}
