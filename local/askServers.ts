// Which tools the MCP servers of a configuration have. They are asked in a process under the guard, so that no server
// outlives the question.

import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { parseJson } from '../shared/text/json.ts';
import { startProcess } from './processes/childProcess.ts';

const SCRIPT = fileURLToPath(new URL('./listTools.ts', import.meta.url));

/** The last line of the script. */
export const DONE = 'done';

const answerSchema = z.union([
  z.strictObject({
    server: z.string(),
    tools: z.array(z.string()),
    /** Those of `tools` that may change something. */
    changing: z.array(z.string()),
    /** Those of `tools` that the server hints to reach outside. */
    hinted: z.array(z.string()),
    /** JSON Schemas of the arguments of those of `tools` that stages collect with. */
    schemas: z.record(z.string(), z.unknown()),
    withheld: z.array(z.strictObject({ tool: z.string(), reason: z.string() })),
  }),
  z.strictObject({ server: z.string(), message: z.string() }),
]);

/** The tools that a server offers and those it has beside them, without its name, or why it could not be asked. */
export type ServerAnswer = z.infer<typeof answerSchema>;

/**
 * Connects to every server of a configuration that `loadConfig` accepts, and lists its tools. Each has its own
 * `connectTimeout`.
 * @throws Error when the question itself fails; the signal's reason. No server is left running.
 */
export async function askServers(
  folder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<ServerAnswer[]> {
  signal.throwIfAborted();
  const answers: ServerAnswer[] = [];
  let isDone = false;
  const asking = startProcess({
    name: 'the question for tools',
    command: process.execPath,
    args: [SCRIPT, folder],
    env,
    onLine(line) {
      const answer = answerSchema.safeParse(parseJson(line));
      if (answer.success) answers.push(answer.data);
      if (line !== DONE) return;
      isDone = true;
      stop();
    },
  });
  const stop = () => void asking.stop();
  signal.addEventListener('abort', stop, { once: true });
  const how = await asking.exited;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (isDone) return answers;
  throw new Error(`${asking.name} ended with ${how}: ${asking.lastLines().join('\n')}`);
}
