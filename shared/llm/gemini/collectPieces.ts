// Collects an answer that is longer than one request allows: the finish reason CONTINUATION comes with a
// token, with which the next piece is requested. A process that dies repeats all of them.

import type { GenerateOptions } from '../../core/contract/llm.ts';
import { addTokens, NO_TOKENS, type TokenUsage } from '../../core/schema/common.ts';
import { jsonBytes } from '../../text/json.ts';
import { mayRepeat, noteReceived } from '../inline/retryModelCall.ts';
import type { Collector } from './collectStream.ts';

/** The most requests for further pieces of one answer. */
const MAX_CONTINUATIONS = 8;

/** The parts of a client that pieces need. */
interface Pieces {
  /** Collects the chunks of all pieces. */
  collector: Collector;
  /** The limits of the whole call. Its budget has room for each further piece, or the answer ends. */
  call: GenerateOptions;
  /** Requests a piece: the first one without a token. */
  send(continuationToken: string | undefined): Promise<AsyncIterable<unknown>>;
  /** Called before a chunk is added. */
  onChunk(): void;
}

/**
 * Collects all pieces of an answer, at most nine.
 * @returns the tokens of earlier pieces, which the report contains; null if there is one piece.
 * @throws the errors of the stream; the signal's reason on abort.
 */
export async function collectPieces({ collector, call, send, onChunk }: Pieces): Promise<TokenUsage | null> {
  let earlier: TokenUsage | null = null;
  let token: string | undefined;
  for (let continuations = 0; ; continuations++) {
    for await (const chunk of await send(token)) {
      onChunk();
      collector.add(chunk);
    }
    call.signal.throwIfAborted();
    token = collector.continuationToken();
    if (token === undefined || continuations === MAX_CONTINUATIONS) return earlier;
    const { parts, finishReason } = collector.answer();
    const usage = collector.takeUsage();
    noteReceived(call.report, { responseBytes: jsonBytes(parts), usage, finishReason });
    earlier = addTokens(earlier ?? NO_TOKENS, usage ?? NO_TOKENS);
    call.onBytes?.(false);
    if (!(await mayRepeat(call))) return earlier;
    collector.startPiece();
  }
}
