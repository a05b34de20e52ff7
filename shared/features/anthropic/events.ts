// An answer as events of Anthropic's stream, and as a message. Pure.

import { AnswerSequence } from '../../api/foreignClients/answerSequence.ts';
import type { AnswerStream, FinalEvent } from '../../api/foreignClients/followAnswer.ts';
import { NO_TOKENS } from '../../core/schema/common.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Citation, TimelineEvent } from '../../core/schema/timelineEvent.ts';
import { type Cut, TextCut } from './cutText.ts';
import type { MessagesRequest } from './request.ts';

/** A server-sent event: its name is also the type of its data. */
interface Sent {
  event: string;
  data: object;
}

const send = (type: string, data: object = {}): Sent => ({ event: type, data: { type, ...data } });

/** The answer that events belong to. */
interface AnswerIdentity {
  /** `msg_…` */
  id: string;
  /** The model as the request names it. */
  model: string;
  /** The execution that answers. */
  executionId: string;
}

/** The fields of a message, at the start of a stream and whole. */
function composeMessage({ id, model }: AnswerIdentity, content: object[], usage: object): object {
  const none = { container: null, diagnostics: null, stop_details: null };
  return { id, type: 'message', role: 'assistant', model, content, ...none, usage };
}

/** The reason for which an answer ended, in the names of the API. */
function stopFields(cut: Cut | undefined, isTruncated: boolean): object {
  const stop_sequence = cut?.reason === 'stop_sequence' ? cut.sequence : null;
  return { stop_reason: cut?.reason ?? (isTruncated ? 'max_tokens' : 'end_turn'), stop_sequence };
}

/** Tokens of all model calls of the answer. Input does not contain cached tokens, as in this API. */
function composeUsage({ input, output, thinking, cached }: Execution['tokens']): object {
  return {
    input_tokens: Math.max(0, input - cached),
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: output + thinking,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
  };
}

/** A whole answer as a message. */
export function wholeMessage(
  identity: AnswerIdentity,
  request: MessagesRequest,
  { content, execution, final }: { content: string; execution: Execution; final: FinalEvent | undefined },
): object {
  const text = new TextCut(request);
  const sent = text.take(content) + text.end();
  const citations = text.cut === undefined ? (final?.metadata.citations ?? []).map(toCitation) : [];
  const block = { type: 'text', text: sent, citations: citations.length === 0 ? null : citations };
  return {
    ...composeMessage(identity, sent === '' ? [] : [block], composeUsage(execution.tokens)),
    ...stopFields(text.cut, final?.metadata.truncated === true),
  };
}

/** The refusal of a model's provider, which is an answer in this API. */
export function refusal(identity: AnswerIdentity, { tokens }: Execution): object {
  const message = composeMessage(identity, [], composeUsage(tokens));
  return { ...message, stop_reason: 'refusal', stop_sequence: null };
}

/** A citation in the form for results of a search. Nothing encrypts our sources. */
function toCitation({ url, title, citedText }: Citation): object {
  return {
    type: 'web_search_result_location',
    url: url ?? '',
    title: title ?? null,
    cited_text: citedText ?? '',
    encrypted_index: '',
  };
}

/** The words for a search that the provider of the model made. */
export function retellSearch(event: Extract<TimelineEvent, { eventType: 'google_search_result' }>): string {
  const { queries, sources } = event.metadata;
  const pages = sources.map(({ title, uri }) => [title, uri].filter((one) => one !== '').join(' '));
  return `[Searched the web for: ${queries.join('; ')}. Found: ${pages.join('; ') || 'nothing'}.]`;
}

/** Writes blocks of text and of thoughts, one after another. */
class BlockWriter {
  readonly #id: string;
  #index = -1;
  #open: 'text' | 'thinking' | undefined;

  /** @param id the id of the message, for signatures. */
  constructor(id: string) {
    this.#id = id;
  }

  /** Whether text continues the last block. */
  get hasOpenText(): boolean {
    return this.#open === 'text';
  }

  /** Text, in the open block of text or in a new one; none for an empty piece. */
  text(piece: string): Sent[] {
    const shown = this.hasOpenText ? piece : piece.replace(/^\n+/, '');
    if (shown === '') return [];
    const started = this.#start('text', { text: '', citations: null });
    return [...started, this.#delta({ type: 'text_delta', text: shown })];
  }

  thought(content: string): Sent[] {
    const started = this.#start('thinking', { thinking: '', signature: '' });
    return [...started, this.#delta({ type: 'thinking_delta', thinking: content })];
  }

  /** Citations of the open block of text. */
  cite(citations: readonly Citation[]): Sent[] {
    return citations.map((one) => this.#delta({ type: 'citations_delta', citation: toCitation(one) }));
  }

  /** Ends the open block. */
  close(): Sent[] {
    if (this.#open === undefined) return [];
    const signature = Buffer.from(`${this.#id}.${this.#index}`).toString('base64url');
    const signed = this.#open === 'thinking' ? [this.#delta({ type: 'signature_delta', signature })] : [];
    this.#open = undefined;
    return [...signed, send('content_block_stop', { index: this.#index })];
  }

  #start(type: 'text' | 'thinking', fields: object): Sent[] {
    if (this.#open === type) return [];
    const closed = this.close();
    this.#index++;
    this.#open = type;
    const content_block = { type, ...fields };
    return [...closed, send('content_block_start', { index: this.#index, content_block })];
  }

  #delta(delta: object): Sent {
    return send('content_block_delta', { index: this.#index, delta });
  }
}

/** The events of a stream: blocks of text and of thoughts, in order. Calls of tools end a block. */
export function anthropicStream(identity: AnswerIdentity, request: MessagesRequest): AnswerStream<Sent> {
  const text = new TextCut(request);
  const blocks = new BlockWriter(identity.id);
  let isTruncated = false;
  const write = (piece: string): Sent[] => blocks.text(text.take(piece));
  const flush = (): Sent[] => blocks.text(text.end());
  const sequence = new AnswerSequence<Sent>(
    {
      text: write,
      thought: (content) => (text.cut === undefined ? [...flush(), ...blocks.thought(content)] : []),
      call: () => [...flush(), ...blocks.close()],
      result: () => [],
      action: () => [],
      structured: () => [],
    },
    { executionId: identity.executionId, asJson: false },
  );
  const isOwn = ({ executionId }: { executionId: string | null }) => executionId === identity.executionId;
  const endMessage = (stop: object, tokens: Execution['tokens']): Sent[] => [
    ...blocks.close(),
    send('message_delta', {
      delta: { container: null, stop_details: null, ...stop },
      usage: composeUsage(tokens),
    }),
    send('message_stop'),
  ];
  const finish = ({ metadata }: FinalEvent): Sent[] => {
    isTruncated = metadata.truncated === true;
    const rest = flush();
    const isWhole = text.cut === undefined && blocks.hasOpenText;
    return isWhole ? [...rest, ...blocks.cite(metadata.citations)] : rest;
  };

  return {
    start: () => {
      const message = composeMessage(identity, [], composeUsage(NO_TOKENS));
      const open = { ...message, stop_reason: null, stop_sequence: null };
      return [send('message_start', { message: open }), send('ping')];
    },
    of(event) {
      if (!isOwn(event)) return [];
      if (event.eventType === 'google_search_result')
        return [...flush(), ...blocks.close(), ...write(retellSearch(event)), ...flush(), ...blocks.close()];
      const sent = sequence.of(event);
      return event.eventType === 'final_analysis' ? [...sent, ...finish(event)] : sent;
    },
    ofLive: (live) => (isOwn(live) ? sequence.ofLive(live) : []),
    wait: () => [send('ping')],
    end: ({ tokens }) => {
      const rest = [...sequence.end(), ...flush()];
      return [...rest, ...endMessage(stopFields(text.cut, isTruncated), tokens)];
    },
    fail: ({ message, code, isOurs, execution }) => {
      if (code === 'MODEL_BLOCKED' && execution !== undefined)
        return endMessage({ stop_reason: 'refusal', stop_sequence: null }, execution.tokens);
      const error = { type: isOurs ? 'overloaded_error' : 'api_error', message, code };
      return [send('error', { error, request_id: null })];
    },
  };
}
