// Streams an interaction that works in the background, for people who watch it.

import { setTimeout as delay } from 'node:timers/promises';
import type { ThoughtReader } from '../../contract/backgroundModel.ts';
import { InquestError } from '../../core/errors.ts';
import { asObject, asText } from '../../text/json.ts';
import { createAnswerLimit } from '../answerLimit.ts';
import type { Environment } from '../credentials.ts';
import { geminiBackend } from '../gemini/backend.ts';
import { wholeFrames } from '../gemini/sseFrames.ts';
import { isFailedStatus } from '../httpFailures.ts';
import { createPieceReader } from './readPieces.ts';
import { readEvents, requestInteraction } from './sendInteraction.ts';
import { isRunning } from './steps.ts';

/** The pause before a stream that was cut is continued; each time without an event it is twice as long. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

/** How requests are sent, and pauses are waited for. */
interface FollowOptions {
  /** Sends requests. Default: the global one. */
  fetch?: typeof fetch;
  /** Waits; tests replace it. */
  wait?(ms: number, signal: AbortSignal): Promise<unknown>;
}

/** Streams interactions with the key of `env`. */
export function interactionFollower(
  env: Environment,
  {
    fetch: send = fetch,
    wait = (ms, signal) => delay(ms, undefined, { signal, ref: false }),
  }: FollowOptions = {},
): ThoughtReader {
  return {
    async follow(id, onPiece, signal) {
      const limit = createAnswerLimit({});
      const open = async (after: string | undefined) => {
        const transport = {
          backend: geminiBackend(env),
          fetch: (async (url, init) =>
            wholeFrames(
              limit.limitBody(await send(url, { ...init, redirect: 'error' })),
            )) satisfies typeof fetch,
          signal,
        };
        const from = after === undefined ? '' : `&last_event_id=${encodeURIComponent(after)}`;
        return requestInteraction(transport, 'GET', `/${encodeURIComponent(id)}?stream=true${from}`);
      };
      let read = createPieceReader();
      let last: string | undefined;
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
        const before = last;
        try {
          for await (const event of readEvents(await open(last))) {
            for (const piece of read(event)) onPiece(piece);
            last = asText(asObject(event).event_id) ?? last;
            if (isLast(event)) return;
          }
        } catch (error) {
          signal.throwIfAborted();
          if (isFinal(error) || limit.failure() !== undefined) throw error;
        }
        if (last !== before) pauseMs = FIRST_PAUSE_MS;
        await wait(pauseMs, signal);
        if (last !== undefined) continue;
        // Without an id of an event the stream starts again.
        read = createPieceReader();
        onPiece({ kind: 'attempt' });
      }
    },
  };
}

/** Whether nothing follows an event. */
function isLast(event: unknown): boolean {
  const { event_type: type, interaction, status } = asObject(event);
  if (type === 'interaction.completed' || type === 'error') return true;
  const state = asText(asObject(interaction).status) ?? asText(status);
  return type !== 'interaction.created' && state !== undefined && !isRunning(state);
}

/** Whether the same request would be refused again. */
function isFinal(error: unknown): boolean {
  if (error instanceof InquestError) return true;
  const { status } = asObject(error);
  return isFailedStatus(status) && status < 500 && status !== 408 && status !== 429;
}
