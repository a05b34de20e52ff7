// One push: an HTTP request whose status code is the answer.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Outcome } from './dispatcher.ts';
import { PUSH_HEADERS } from './envelope.ts';

// https://cloud.google.com/pubsub/docs/push#receive_push
const ACKS = [102, 200, 201, 202, 204];

/** To each endpoint: as many as there can be pushes of a subscription under way, so that all are used again. */
const MAX_CONNECTIONS = 1000;

/** Connections to endpoints, which are used again. */
export interface PushClient {
  /**
   * Sends a body. A request has no time limit of its own.
   * @param answered called once, unless the request is aborted: an ack, or a failure for any other status, a redirection
   *   included, and for a connection that fails.
   * @returns what aborts it; nothing happens when it was answered.
   */
  send(endpoint: string, body: string, answered: (outcome: Outcome) => void): () => void;
  /** Closes all connections; what is under way fails. */
  close(): void;
}

export function createPushClient(): PushClient {
  const options = { keepAlive: true, maxFreeSockets: MAX_CONNECTIONS };
  const http = new HttpAgent(options);
  const https = new HttpsAgent(options);

  const send: PushClient['send'] = (endpoint, body, answered) => {
    const isSecure = endpoint.startsWith('https:');
    const options = {
      method: 'POST',
      headers: { ...PUSH_HEADERS, 'content-length': Buffer.byteLength(body) },
      agent: isSecure ? https : http,
    };
    let isOver = false;
    const end = (outcome: Outcome) => {
      if (isOver) return;
      isOver = true;
      answered(outcome);
    };
    const request = (isSecure ? httpsRequest : httpRequest)(
      endpoint,
      options,
      (response: IncomingMessage) => {
        response.on('error', () => {}).resume();
        end(ACKS.includes(response.statusCode ?? 0) ? 'acked' : 'failed');
      },
    );
    // 102 comes before the response proper, which does not matter then.
    request.on('information', ({ statusCode }) => {
      if (ACKS.includes(statusCode)) end('acked');
    });
    // Also where an idle connection may have been closed in the same moment: who died of the request looks the same.
    request.on('error', () => end('failed'));
    request.end(body);
    return () => {
      if (isOver) return;
      isOver = true;
      request.destroy();
    };
  };

  return {
    send,
    close() {
      http.destroy();
      https.destroy();
    },
  };
}
