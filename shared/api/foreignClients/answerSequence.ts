// The events of an answer in the order in which clients get them, in the form of their wire. Pure.

import { ACTION } from '../../core/schema/agent.ts';
import type { TimelineEvent } from '../../core/schema/timelineEvent.ts';
import type { LiveText } from '../../kits/live/liveText.ts';
import { answerParts } from '../../text/structuredAnswer.ts';
import { OutputPieces } from './appendOnlyText.ts';
import { LiveThinking } from './liveThinking.ts';

/** The event of one type. */
type EventOf<T extends TimelineEvent['eventType']> = Extract<TimelineEvent, { eventType: T }>;

/** An agent that was asked by the one that answers. */
export interface SubAgent {
  /** Its name. */
  name: string;
  /** The question to it. */
  question: string;
}

/** Converts the parts of an answer. `agent` is undefined for the agent that answers. */
export interface WireForm<S> {
  /** A piece of text, never empty, that continues the text before it. */
  text(piece: string): S[];
  /** A thought, never empty. */
  thought(content: string, agent: SubAgent | undefined): S[];
  /** A call of a tool. */
  call(event: EventOf<'llm_tool_call' | 'mcp_tool_call'>, agent: SubAgent | undefined): S[];
  /** The result of a call, matched by its id. */
  result(event: EventOf<'tool_result'>, agent: SubAgent | undefined): S[];
  /** An action. */
  action(event: EventOf<'action'>): S[];
  /** The fields of an asked agent with structured output, as JSON text. */
  structured(output: string, agent: SubAgent): S[];
}

interface AnswerOptions {
  /** The execution that answers; those below it are agents that it asks. */
  executionId: string;
  /** Whether a structured answer is sent as JSON instead of text. */
  asJson: boolean;
}

type StoredText = Pick<TimelineEvent, 'executionId' | 'content' | 'iteration'>;

/** Converts the events of an answer into what is sent, in order. No text is sent twice. */
export class AnswerSequence<S> {
  readonly #form: WireForm<S>;
  readonly #options: AnswerOptions;
  readonly #sentTexts = { hasText: false, stored: new Set<string>() };
  readonly #outputs = new Map<string, OutputPieces>();
  readonly #thinking = new LiveThinking();
  /** The execution whose text is being sent: texts of two agents that run at the same time must not mix. */
  #current: string | undefined;
  #waiting: StoredText[] = [];
  /** Agents that were asked, by their execution. */
  readonly #askedAgents = new Map<string, SubAgent>();
  /** The completion of an action, which is sent after the event of the action. */
  #completion: S[] = [];

  constructor(form: WireForm<S>, options: AnswerOptions) {
    this.#form = form;
    this.#options = options;
  }

  /** The parts for a timeline event; none for events that clients do not get. */
  of(event: TimelineEvent): S[] {
    const agent = this.#askedAgents.get(event.executionId ?? '');
    if (event.eventType === 'action') return [...this.#form.action(event), ...this.#takeCompletion()];
    const before = this.#takeCompletion();
    switch (event.eventType) {
      case 'task_assigned': {
        const { agentName } = event.metadata;
        this.#askedAgents.set(event.executionId ?? '', { name: agentName, question: event.content });
        return before;
      }
      case 'llm_thinking':
        return [...before, ...this.#thought(event.executionId, this.#thinking.takeStored(event))];
      case 'llm_response':
        return [...before, ...this.#stored(event)];
      case 'final_analysis':
        return [...before, ...this.#final(event, event.metadata.output)];
      case 'llm_tool_call':
      case 'mcp_tool_call':
        return [...before, ...this.#form.call(event, agent)];
      case 'tool_result': {
        const sent = this.#form.result(event, agent);
        const { toolName, isError } = event.metadata;
        if (toolName !== ACTION || isError) return [...before, ...sent];
        this.#completion = sent;
        return before;
      }
      default:
        return before;
    }
  }

  /** The parts for the current output of a model. */
  ofLive(live: LiveText): S[] {
    const { executionId } = live;
    this.#thinking.add(live);
    if (this.#current !== undefined && this.#current !== executionId) return [];
    const text = this.#outputOf(executionId).ofLive(live);
    if (text === '') return [];
    this.#current = executionId;
    return [...this.#thought(executionId, this.#thinking.takeLive(live)), ...this.#form.text(text)];
  }

  /** The parts at the end of an answer. */
  end(): S[] {
    return [...this.#takeCompletion(), ...this.#takeWaiting()];
  }

  /** The answer of the agent, or of an asked agent whose structured fields have a form of their own. */
  #final(event: StoredText, output: string | undefined): S[] {
    const agent = this.#askedAgents.get(event.executionId ?? '');
    if (output === undefined) return this.#stored(event);
    if (agent !== undefined) return this.#form.structured(output, agent);
    const content = this.#options.asJson ? output : (answerParts(output).answer ?? event.content);
    return this.#stored({ ...event, content });
  }

  #stored(event: StoredText): S[] {
    const { content, iteration } = event;
    const executionId = event.executionId ?? '';
    const isOther = this.#current !== undefined && this.#current !== executionId;
    // The answering agent writes only after all agents that it asked have ended.
    if (isOther && executionId !== this.#options.executionId) {
      this.#waiting.push(event);
      return [];
    }
    const abandoned = isOther ? this.#takeWaiting() : [];
    const text = this.#outputOf(executionId).ofStored(content, iteration);
    this.#current = undefined;
    return [...abandoned, ...this.#text(text), ...this.#takeWaiting()];
  }

  /** Ends the text that is being sent, and sends the texts that waited for it. */
  #takeWaiting(): S[] {
    const abandoned = this.#current === undefined ? '' : this.#outputOf(this.#current).abandon();
    this.#current = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    return [...this.#text(abandoned), ...waiting.flatMap((text) => this.#stored(text))];
  }

  #takeCompletion(): S[] {
    const sent = this.#completion;
    this.#completion = [];
    return sent;
  }

  #outputOf(executionId: string): OutputPieces {
    const output = this.#outputs.get(executionId) ?? new OutputPieces(this.#sentTexts);
    this.#outputs.set(executionId, output);
    return output;
  }

  #thought(executionId: string | null, content: string): S[] {
    return content === '' ? [] : this.#form.thought(content, this.#askedAgents.get(executionId ?? ''));
  }

  #text(content: string): S[] {
    return content === '' ? [] : this.#form.text(content);
  }
}
