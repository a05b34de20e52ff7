// A server that speaks OpenAI's chat completions protocol, for LangChain's real ChatOpenAI to talk to.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Asked {
  url: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Ends when the client hangs up or has read everything. */
  closed: Promise<void>;
}
export type Reply = (response: ServerResponse) => void;

export interface OpenAiServer {
  /** What to set `OPENAI_BASE_URL` to. */
  baseUrl: string;
  /** Requests, in order of arrival. */
  asked: Asked[];
  close(): void;
}

/** Starts a server that gives its replies in turn, the last one for ever. */
export async function startOpenAiServer(replies: Reply[]): Promise<OpenAiServer> {
  const asked: Asked[] = [];
  const server: Server = createServer((incoming, response) => {
    let text = '';
    incoming.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
    incoming.on('end', () => {
      const closed = new Promise<void>((resolve) => response.on('close', resolve));
      asked.push({ url: incoming.url ?? '', headers: incoming.headers, body: JSON.parse(text), closed });
      replies[Math.min(asked.length, replies.length) - 1]?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: () => server.close().closeAllConnections(),
  };
}

/** One event of a stream, without its end. */
export function event(delta: object, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finishReason }];
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'gpt-4o-2026', choices })}\n\n`;
}

/** The event that follows the last choice and holds the token counts. */
export function usageEvent(usage: object): string {
  return `data: ${JSON.stringify({ id: 'c1', object: 'chat.completion.chunk', model: 'gpt-4o-2026', choices: [], usage })}\n\n`;
}

/** A whole stream. */
export function streamed(...events: string[]): Reply {
  return (response) => {
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end([...events, 'data: [DONE]\n\n'].join(''));
  };
}

/** A stream of one text and a finish reason. */
export function answered(text: string, finishReason = 'stop'): Reply {
  return streamed(event({ role: 'assistant', content: text }), event({}, finishReason));
}

/** An error of the API. */
export function refused(
  status: number,
  message: string,
  details: { code?: string; headers?: Record<string, string> } = {},
): Reply {
  return (response) => {
    const error = { message, type: 'error', code: details.code ?? null };
    response
      .writeHead(status, { 'content-type': 'application/json', ...details.headers })
      .end(JSON.stringify({ error }));
  };
}
