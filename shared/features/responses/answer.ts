// An answer as a response of the Responses API, whole and as events of its stream. Pure.

import { type AnswerBlock, AnswerBlocks, type BlockKind } from '../../api/foreignClients/answerBlocks.ts';
import type { AnswerStream } from '../../api/foreignClients/followAnswer.ts';
import { isTerminal } from '../../core/schema/common.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Citation } from '../../core/schema/timelineEvent.ts';

/** The answer that an id names. */
interface AnswerPlace extends Pick<Execution, 'sessionId' | 'executionId'> {
  /** Whether the JSON of a structured answer was asked for. */
  asJson: boolean;
}

/** The id of a response, which names session, question and form. */
export function composeResponseId({ sessionId, executionId, asJson }: AnswerPlace): string {
  const place = [sessionId, executionId, ...(asJson ? ['json'] : [])].join('/');
  return `resp_${Buffer.from(place).toString('base64url')}`;
}

/** The id of an item of a response. */
function composeItemId(responseId: string, kind: BlockKind, index: number): string {
  return `${responseId.replace('resp', kind === 'text' ? 'msg' : 'rs')}.${index}`;
}

const ID = /^(?:resp|msg|rs)_([\w-]{1,600})(?:\.\d{1,6})?$/;
const PLACE = /^([A-Za-z0-9][\w-]{0,199})\/([\w.-]{1,200})(\/json)?$/;

/** The answer of a response or of an item of it; undefined for an id that is none of ours. */
export function readResponseId(id: string): AnswerPlace | undefined {
  const place = Buffer.from(ID.exec(id)?.[1] ?? '', 'base64url').toString();
  const [, sessionId, executionId, json] = PLACE.exec(place) ?? [];
  if (sessionId === undefined || executionId === undefined) return undefined;
  return { sessionId, executionId, asJson: json !== undefined };
}

/** The fields of a response that its request decides. */
export interface Echo {
  /** The result of `composeResponseId`. */
  id: string;
  /** The name of the chain. */
  model: string;
  /** Whether the request did not wait for the answer. */
  background: boolean;
  metadata: Readonly<Record<string, string>>;
  /** The response that it continues; null for a new chat. */
  previous_response_id: string | null;
}

const STATUSES = { completed: 'completed', failed: 'failed', cancelled: 'cancelled', timed_out: 'failed' };

/** A response in its current state. @param output the items of the answer. */
export function composeResponse(execution: Execution, echo: Echo, output: readonly object[]): object {
  const { status, createdAt, failure, tokens } = execution;
  const { input, output: written, thinking, cached, total } = tokens;
  return {
    object: 'response',
    created_at: Math.floor(createdAt.getTime() / 1_000),
    status: isTerminal(status) ? STATUSES[status] : 'in_progress',
    error: failure && { code: failure.code, message: failure.message },
    incomplete_details: null,
    instructions: null,
    output,
    parallel_tool_calls: false,
    store: true,
    temperature: null,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: [],
    top_p: null,
    truncation: 'disabled',
    usage: isTerminal(status)
      ? {
          input_tokens: input,
          input_tokens_details: { cached_tokens: cached },
          output_tokens: written + thinking,
          output_tokens_details: { reasoning_tokens: thinking },
          total_tokens: total,
        }
      : null,
    ...echo,
  };
}

/** A message of an answer. @param index its position among the items. */
export function composeMessage(
  responseId: string,
  index: number,
  text: string,
  annotations: object[],
): object {
  const id = composeItemId(responseId, 'text', index);
  const content = [{ type: 'output_text', text, annotations, logprobs: [] }];
  return { type: 'message', id, status: 'completed', role: 'assistant', content };
}

/** A source of a text. Positions that could not be verified are the whole text. */
export function toAnnotation({ url, title, startIndex, endIndex }: Citation, text: string): object {
  const span = { start_index: startIndex ?? 0, end_index: endIndex ?? text.length };
  return { type: 'url_citation', url: url ?? '', title: title ?? '', ...span };
}

interface Sent {
  event: string;
  data: object;
}

/** The names of the events and fields of an item, by the kind of its block. */
const NAMES = {
  text: { type: 'message', part: 'content_part', delta: 'output_text', index: 'content_index' },
  thinking: {
    type: 'reasoning',
    part: 'reasoning_summary_part',
    delta: 'reasoning_summary_text',
    index: 'summary_index',
  },
} as const;

/**
 * The events of a stream: items of thoughts and of messages, in order. Calls of tools end an item.
 * @param after the number of the last event that the client has; -1 for none.
 */
export function responseStream(
  executionId: string,
  echo: Echo,
  { asJson, withLive, after }: { asJson: boolean; withLive: boolean; after: number },
): AnswerStream<Sent> {
  const output: object[] = [];
  let annotations: object[] = [];
  let number = 0;
  const send = (type: string, fields: object): Sent[] => {
    const sequence_number = number++;
    return sequence_number > after ? [{ event: type, data: { type, sequence_number, ...fields } }] : [];
  };
  const locate = ({ kind, index }: AnswerBlock) => ({
    item_id: composeItemId(echo.id, kind, index),
    output_index: index,
    [NAMES[kind].index]: 0,
  });
  const composePart = ({ kind, text }: AnswerBlock) =>
    kind === 'text'
      ? { type: 'output_text', text, annotations, logprobs: [] }
      : { type: 'summary_text', text };
  const blocks = new AnswerBlocks<Sent>(
    {
      begin(block) {
        const { kind, index } = block;
        const own = kind === 'text' ? { role: 'assistant', content: [] } : { summary: [] };
        const id = composeItemId(echo.id, kind, index);
        const item = { type: NAMES[kind].type, id, status: 'in_progress', ...own };
        annotations = [];
        return [
          ...send('response.output_item.added', { output_index: index, item }),
          ...send(`response.${NAMES[kind].part}.added`, { ...locate(block), part: composePart(block) }),
        ];
      },
      delta: (block, delta) =>
        send(`response.${NAMES[block.kind].delta}.delta`, { ...locate(block), delta, logprobs: [] }),
      cite: (block, citations) =>
        citations.flatMap((citation, annotation_index) => {
          const annotation = toAnnotation(citation, block.text);
          annotations.push(annotation);
          const fields = { ...locate(block), annotation_index, annotation };
          return send('response.output_text.annotation.added', fields);
        }),
      end(block) {
        const { kind, index, text } = block;
        const id = composeItemId(echo.id, kind, index);
        const item =
          kind === 'text'
            ? composeMessage(echo.id, index, text, annotations)
            : { type: 'reasoning', id, status: 'completed', summary: [composePart(block)] };
        output.push(item);
        return [
          ...send(`response.${NAMES[kind].delta}.done`, { ...locate(block), text, logprobs: [] }),
          ...send(`response.${NAMES[kind].part}.done`, { ...locate(block), part: composePart(block) }),
          ...send('response.output_item.done', { output_index: index, item }),
        ];
      },
    },
    { executionId, asJson },
  );
  const finish = (execution: Execution, name: string): Sent[] => [
    ...blocks.end(),
    ...send(name, { response: composeResponse(execution, echo, output) }),
  ];
  return {
    withLive,
    start(execution) {
      const response = composeResponse({ ...execution, status: 'active', failure: null }, echo, []);
      return [...send('response.created', { response }), ...send('response.in_progress', { response })];
    },
    of: (event) => blocks.of(event),
    ofLive: (live) => blocks.ofLive(live),
    end: (execution) => finish(execution, 'response.completed'),
    fail: ({ message, code, execution }) =>
      execution ? finish(execution, 'response.failed') : send('error', { code, message, param: null }),
  };
}
