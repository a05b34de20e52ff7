// An answer as events of Anthropic's stream, and as a message. Pure.

import { AnswerBlocks } from '../../api/foreignClients/answerBlocks.ts';
import type { AnswerStream, FinalEvent } from '../../api/foreignClients/followAnswer.ts';
import { NO_TOKENS } from '../../core/schema/common.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Citation } from '../../core/schema/timelineEvent.ts';
import type { JsonObject } from '../../text/json.ts';
import { type Cut, TextCut } from './cutText.ts';
import type { OwnAnswer } from './ownAnswer.ts';
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
function stopFields(cut: Cut | undefined, isTruncated: boolean, { isPaused }: OwnAnswer): object {
  const stop_sequence = cut?.reason === 'stop_sequence' ? cut.sequence : null;
  const ended = isTruncated ? (isPaused ? 'pause_turn' : 'max_tokens') : 'end_turn';
  return { stop_reason: cut?.reason ?? ended, stop_sequence };
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
  own: OwnAnswer,
): object {
  const text = new TextCut(request);
  const sent = text.take(content) + text.end();
  const citations = text.cut === undefined ? (final?.metadata.citations ?? []).map(toCitation) : [];
  const block = { type: 'text', text: sent, citations: citations.length === 0 ? null : citations };
  return {
    ...composeMessage(
      identity,
      [...own.served, ...(sent === '' ? [] : [block])],
      composeUsage(execution.tokens),
    ),
    ...stopFields(text.cut, final?.metadata.truncated === true, own),
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

/** A stored block as events; the input of a call comes as JSON text, as from Anthropic. */
function sendServed(block: JsonObject, index: number): Sent[] {
  const isCall = block.type === 'server_tool_use';
  const delta = { type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) };
  return [
    send('content_block_start', { index, content_block: isCall ? { ...block, input: {} } : block }),
    ...(isCall ? [send('content_block_delta', { index, delta })] : []),
    send('content_block_stop', { index }),
  ];
}

/**
 * The events of a stream: blocks of text and of thoughts, in order. Calls of the agent's tools end a block;
 * those of tools that Anthropic ran are blocks at the end, because they are only known there.
 */
export function anthropicStream(
  identity: AnswerIdentity,
  request: MessagesRequest,
  readOwn: (execution: Execution) => Promise<OwnAnswer>,
): AnswerStream<Sent> {
  const cutter = new TextCut(request);
  const sendDelta = (index: number, delta: object) => send('content_block_delta', { index, delta });
  const blocks = new AnswerBlocks<Sent>(
    {
      begin({ kind, index }) {
        const fields = kind === 'text' ? { text: '', citations: null } : { thinking: '', signature: '' };
        return [send('content_block_start', { index, content_block: { type: kind, ...fields } })];
      },
      delta: ({ kind, index }, piece) => [sendDelta(index, { type: `${kind}_delta`, [kind]: piece })],
      cite: ({ index }, citations) =>
        citations.map((one) => sendDelta(index, { type: 'citations_delta', citation: toCitation(one) })),
      end({ kind, index }) {
        const signature = Buffer.from(`${identity.id}.${index}`).toString('base64url');
        const signed = kind === 'thinking' ? [sendDelta(index, { type: 'signature_delta', signature })] : [];
        return [...signed, send('content_block_stop', { index })];
      },
    },
    { executionId: identity.executionId, cutter },
  );
  const endMessage = (stop: object, tokens: Execution['tokens']): Sent[] => [
    ...blocks.close(),
    send('message_delta', {
      delta: { container: null, stop_details: null, ...stop },
      usage: composeUsage(tokens),
    }),
    send('message_stop'),
  ];
  return {
    start() {
      const message = composeMessage(identity, [], composeUsage(NO_TOKENS));
      const open = { ...message, stop_reason: null, stop_sequence: null };
      return [send('message_start', { message: open }), send('ping')];
    },
    of: (event) => blocks.of(event),
    ofLive: (live) => blocks.ofLive(live),
    wait: () => [send('ping')],
    async end(execution) {
      const own = await readOwn(execution);
      const rest = blocks.end();
      const served = own.served.flatMap((block, place) => sendServed(block, blocks.count + place));
      const stop = stopFields(cutter.cut, blocks.isTruncated, own);
      return [...rest, ...served, ...endMessage(stop, execution.tokens)];
    },
    fail({ message, code, isOurs, execution }) {
      if (code === 'MODEL_BLOCKED' && execution !== undefined)
        return endMessage({ stop_reason: 'refusal', stop_sequence: null }, execution.tokens);
      const error = { type: isOurs ? 'overloaded_error' : 'api_error', message, code };
      return [send('error', { error, request_id: null })];
    },
  };
}
