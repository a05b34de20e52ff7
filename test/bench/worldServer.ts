// The world around Inquest in a process of its own, so that its work is not counted as ours: a Gemini that
// answers at once with one more tool call, or with an analysis after so many, and an MCP server with one
// tool. Arguments: how many answers an investigation has (0: without end), the bytes of a tool result, and
// how many milliseconds an answer takes. It sends its port to the process that started it, answers any
// message of it with what it measured, and ends with it.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';

const [answersEach = 0, resultBytes = 0, answerMs = 0] = process.argv.slice(2).map(Number);
const result = 'x'.repeat(resultBytes);
/** Once for each call in the conversation, whatever the request looks like otherwise. */
const EARLIER_CALL = /"functionResponse"/g;
/** Milliseconds from the end of an answer to the arrival of the next question, whoever asks. */
let gaps: number[] = [];
let answeredAt: number | undefined;
let answers = 0;

const mcp = toNodeHandler(
  createMcpHandler(
    () => {
      const server = new Server({ name: 'bench', version: '1.0.0' }, { capabilities: { tools: {} } });
      const annotations = { readOnlyHint: true };
      const inputSchema = { type: 'object' as const, properties: { object: { type: 'string' } } };
      server.setRequestHandler('tools/list', () => ({
        tools: [{ name: 'read', description: 'Reads.', inputSchema, annotations }],
      }));
      server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: result }] }));
      return server;
    },
    { legacy: 'reject' },
  ),
);
const server = createServer((request, response) => {
  const { method = '', url = '' } = request;
  if (url === '/mcp') void mcp(Object.assign(request, { method, url }), response);
  else askGemini(request, response);
});
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', () => {
  process.send?.(gaps);
  gaps = [];
  answeredAt = undefined;
});
process.on('disconnect', () => process.exit(0));

function askGemini(request: IncomingMessage, response: ServerResponse): void {
  if (answeredAt !== undefined) gaps.push(performance.now() - answeredAt);
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const earlier = Buffer.concat(chunks).toString().match(EARLIER_CALL)?.length ?? 0;
    const send = () => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(`data: ${JSON.stringify(answer(earlier + 1 === answersEach))}\n\n`);
      answeredAt = performance.now();
    };
    if (answerMs > 0) setTimeout(send, answerMs);
    else send();
  });
}

/** Never the same call a third time, which would not be run. */
function answer(isLast: boolean) {
  const number = ++answers;
  const functionCall = { id: `call_${number}`, name: 'bench__read', args: { object: `pod-${number}` } };
  const thoughtSignature = Buffer.alloc(600).toString('base64');
  const last = isLast ? { text: 'The database ran out of connections.' } : { functionCall };
  const parts = [
    { text: 'One more look.', thought: true },
    { ...last, thoughtSignature },
  ];
  return {
    candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 10, totalTokenCount: 110 },
    modelVersion: 'instant',
    responseId: `answer-${number}`,
  };
}
