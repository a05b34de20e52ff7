// Registers functions with the functions-framework: those that Pub/Sub pushes the messages of a topic to, and
// the check of the method that all of them share.

import './withoutDomains.ts';
import { http, type Request, type Response } from '@google-cloud/functions-framework';
import type { Logger } from '../shared/core/contract/logger.ts';
import { asObject, isObject } from '../shared/text/json.ts';

/**
 * Registers `name` as a function that takes wrapped pushes of Pub/Sub: raw, or in a CloudEvent of Eventarc.
 * It answers 204 when `handle` returns, and 500 with the error in the log when `handle` throws, so that
 * Pub/Sub delivers the message again. A body without a message is answered with 400: the subscription unwraps
 * its messages, and no message is lost until that is corrected.
 * @param handle gets the body, with the `id` and `traceparent` of the request's headers.
 */
export function registerTopicFunction(
  name: string,
  handle: (event: unknown) => Promise<void>,
  log: Logger,
): void {
  http(name, async (request, response) => {
    if (refuseOtherMethods(request, response, 'Pub/Sub pushes messages to this function')) return;
    const event = readPush(request);
    if (event === undefined) {
      log.error({ code: 'MESSAGE_MALFORMED', function: name }, UNWRAPPED);
      // On one machine it names the API, for a webhook that was sent to this port.
      const hint: unknown = request.app.get('hint');
      response.status(400).json({ error: [UNWRAPPED, hint].filter(Boolean).join(' ') });
      return;
    }
    try {
      await handle(event);
      response.status(204).end();
    } catch (error) {
      // The stack is the log line of the error.
      console.error(error instanceof Error ? error.stack : error);
      response.status(500).json({ error: 'The message was not handled; Pub/Sub delivers it again.' });
    }
  });
}

const UNWRAPPED =
  'The body holds no Pub/Sub message. The push subscription must wrap its messages: set it up without --push-no-wrapper.';

/** Answers all methods but POST with 405. @returns whether it answered. */
export function refuseOtherMethods({ method }: Request, response: Response, caller: string): boolean {
  if (method === 'POST') return false;
  response
    .status(405)
    .set('Allow', 'POST')
    .json({ error: `POST only: ${caller}` });
  return true;
}

/** The push of a request; undefined for a body without a message. */
function readPush(request: Request): object | undefined {
  const body = asObject(request.body);
  const isPush = isObject(body.message) || isObject(asObject(body.data).message);
  if (!isPush) return undefined;
  const id = request.get('ce-id');
  const traceparent = request.get('traceparent');
  return { ...(id !== undefined && { id }), ...(traceparent !== undefined && { traceparent }), ...body };
}
