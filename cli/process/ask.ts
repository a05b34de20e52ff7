// Asks a question on a terminal.

import { createInterface } from 'node:readline/promises';
import { UsageError } from './usageError.ts';

/** An interactive terminal. */
export interface Terminal {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream;
}

/**
 * Asks a question.
 * @param signal ends the question. Default: never.
 * @returns the answer without spaces around it.
 * @throws Error when the signal aborts.
 */
export async function askQuestion(
  question: string,
  { input, output }: Terminal,
  signal: AbortSignal = new AbortController().signal,
): Promise<string> {
  const reader = createInterface({ input, output });
  // readline intercepts Ctrl-C on its terminal.
  reader.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
  try {
    return (await reader.question(question, { signal })).trim();
  } finally {
    reader.close();
  }
}

/** As `askQuestion`, on the terminal of this process. @throws UsageError without one. */
export async function askUser(question: string, signal?: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) throw new UsageError('there is no terminal to ask on: confirm with --yes');
  return await askQuestion(question, { input: process.stdin, output: process.stderr }, signal);
}

/** Whether an answer is `y` or `yes`. */
export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer);
