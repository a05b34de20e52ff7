// Lists the tools of a configuration's MCP servers in a guarded process that ends with every server.

import * as z from 'zod';
import { moduleFile } from '../shared/projectFiles.ts';
import { parseJson } from '../shared/text/json.ts';
import { startProcess } from './processes/childProcess.ts';

const SCRIPT = moduleFile('local/listTools.ts');

/** The last line of the script. */
export const DONE = 'done';

const answerSchema = z.union([
  z.strictObject({
    server: z.string(),
    tools: z.array(z.string()),
    /** Tools that can change state. */
    changing: z.array(z.string()),
    /** Tools that reach external systems, by a hint of the server. */
    hinted: z.array(z.string()),
    /** JSON Schemas of the arguments of the tools that stages collect with, by name. */
    schemas: z.record(z.string(), z.unknown()),
    withheld: z.array(z.strictObject({ tool: z.string(), reason: z.string() })),
    /** Digests of the definitions of all tools that the server lists, by name. */
    digests: z.record(z.string(), z.string()),
    /** Instances of the server that did not answer; absent: none. */
    missing: z.array(z.strictObject({ instance: z.string(), message: z.string() })).optional(),
    /** The result of the server's probe; absent without one. */
    probe: z.strictObject({ content: z.string(), isError: z.boolean() }).optional(),
  }),
  z.strictObject({ server: z.string(), message: z.string() }),
]);

/** A server's offered and withheld tools, without its prefix, or why the request failed. */
export type ServerAnswer = z.infer<typeof answerSchema>;

/**
 * The servers to ask, each with one read-only call, or null without a call. `${NAME}` in its texts is a
 * variable of the environment.
 */
export const probesSchema = z.record(
  z.string(),
  z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) }).nullable(),
);

/**
 * Connects to every server of a configuration that `loadConfig` accepts, and lists its tools. Each has its
 * own `connectTimeout`.
 * @param probes the servers to ask, and the call to make to each.
 * @throws Error when the process fails; the reason of the signal. All servers have stopped then.
 */
export async function askServers(
  folder: string,
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
  probes: z.infer<typeof probesSchema>,
): Promise<ServerAnswer[]> {
  signal.throwIfAborted();
  const answers: ServerAnswer[] = [];
  let isDone = false;
  const listing = startProcess({
    name: 'the process that lists tools',
    command: process.execPath,
    args: [SCRIPT, folder, JSON.stringify(probes)],
    env,
    onLine(line) {
      const answer = answerSchema.safeParse(parseJson(line));
      if (answer.success) answers.push(answer.data);
      if (line !== DONE) return;
      isDone = true;
      stop();
    },
  });
  const stop = () => void listing.stop();
  signal.addEventListener('abort', stop, { once: true });
  const how = await listing.exited;
  signal.removeEventListener('abort', stop);
  signal.throwIfAborted();
  if (isDone) return answers;
  throw new Error(`${listing.name} ended with ${how}: ${listing.lastLines().join('\n')}`);
}
