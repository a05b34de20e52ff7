// Starts the model and the tool server of the bench in a process of their own.

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SERVER = fileURLToPath(new URL('./worldServer.ts', import.meta.url));

/** A Gemini that answers at once, and a tool. */
export interface World {
  /** Where Gemini's client finds it. */
  env: { GOOGLE_GEMINI_BASE_URL: string; GEMINI_API_KEY: string };
  /** Of the MCP server; its tool is `read`. */
  mcpUrl: string;
  /** Milliseconds from each answer to the next question since the last take, for one agent. */
  takeGaps(): Promise<number[]>;
  stop(): Promise<void>;
}

/**
 * Starts it on a free port of 127.0.0.1.
 * @param options.answersEach answers of an investigation; without end when absent.
 * @param options.resultBytes of a tool result. Default: 2,000.
 * @param options.answerMs how long Gemini takes. Default: 0.
 */
export async function startWorld(
  options: { answersEach?: number; resultBytes?: number; answerMs?: number } = {},
): Promise<World> {
  const { answersEach = 0, resultBytes = 2_000, answerMs = 0 } = options;
  const child = fork(SERVER, [answersEach, resultBytes, answerMs].map(String));
  const [port] = await once(child, 'message');
  const url = `http://127.0.0.1:${port}`;
  return {
    // No word of any name: what stands in the key is masked wherever it is.
    env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'not-a-key-of-anyone' },
    mcpUrl: `${url}/mcp`,
    async takeGaps() {
      const taken = once(child, 'message');
      child.send('take');
      return (await taken)[0];
    },
    async stop() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
