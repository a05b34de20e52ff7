// The functions that Google Cloud calls, for the functions-framework: `work` and `bury` get pushed messages,
// `sweep` the tick of a schedule.

import { errorMessage } from '../core/errors.ts';
import type { Deliveries } from './queue.ts';

/** The part of a request that handlers read: express, and so the functions-framework, passes more. */
export interface HandlerRequest {
  body?: unknown;
}

/** The part of a response that handlers use. */
export interface HandlerResponse {
  status(code: number): HandlerResponse;
  json(body: unknown): unknown;
}

/** Handles one request; never rejects. A status above 299 makes Pub/Sub deliver the message again. */
export type Handler = (request: HandlerRequest, response: HandlerResponse) => Promise<void>;

/** The handlers of an engine, one for each function. */
export interface Handlers {
  /** The push subscription of the topic of iterations. */
  work: Handler;
  /** The push subscription of the topic with its dead letters. */
  bury: Handler;
  /** The schedule, once a minute. */
  sweep: Handler;
}

/** The handlers that answer 200 for work that is done, and 503 for work that failed. */
export function createHandlers({ work, bury, sweep }: Deliveries): Handlers {
  const answer =
    (handle: (body: unknown) => Promise<unknown>): Handler =>
    async (request, response) => {
      try {
        response.status(200).json((await handle(request.body)) ?? {});
      } catch (error) {
        response.status(503).json({ error: errorMessage(error) });
      }
    };
  return { work: answer(work), bury: answer(bury), sweep: answer(() => sweep()) };
}
