// One push: an HTTP request whose status code is an ack or a nack.

import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { Outcome } from './consumers.ts';

/** The headers of a push request, without `content-length`. */
const PUSH_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json',
  from: 'noreply@google.com',
  'user-agent': 'CloudPubSub-Google',
};

// https://cloud.google.com/pubsub/docs/push#receive_push
const ACK_STATUSES = [102, 200, 201, 202, 204];

/** Per endpoint: the maximum of outstanding pushes of a subscription, so that every connection is reused. */
const MAX_CONNECTIONS = 1000;

/** Sends pushes over reused connections. */
export interface PushClient {
  /**
   * Sends a body. A request has no time limit of its own.
   * @param token the bearer token; undefined for none.
   * @param onAnswer called once unless the request is aborted. Other statuses, redirects and connection
   * errors fail.
   * @returns aborts the request. Without effect after the answer.
   */
  send(
    endpoint: string,
    body: string,
    token: string | undefined,
    onAnswer: (outcome: Outcome) => void,
  ): () => void;
  /** Closes all connections. Outstanding requests fail. */
  close(): void;
}

/** A client without connections at first. */
export function createPushClient(): PushClient {
  const options = { keepAlive: true, maxFreeSockets: MAX_CONNECTIONS };
  const http = new HttpAgent(options);
  const https = new HttpsAgent(options);

  const send: PushClient['send'] = (endpoint, body, token, onAnswer) => {
    const isSecure = endpoint.startsWith('https:');
    const options = {
      method: 'POST',
      headers: {
        ...PUSH_HEADERS,
        'content-length': Buffer.byteLength(body),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      agent: isSecure ? https : http,
    };
    let isOver = false;
    const end = (outcome: Outcome) => {
      if (isOver) return;
      isOver = true;
      onAnswer(outcome);
    };
    const request = (isSecure ? httpsRequest : httpRequest)(
      endpoint,
      options,
      (response: IncomingMessage) => {
        response.on('error', () => {}).resume();
        end(ACK_STATUSES.includes(response.statusCode ?? 0) ? 'acked' : 'failed');
      },
    );
    // 102 precedes the final response, which is ignored then.
    request.on('information', ({ statusCode }) => {
      if (ACK_STATUSES.includes(statusCode)) end('acked');
    });
    // Not retried on an idle connection that was closed: a server that crashed on the request looks the same.
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
