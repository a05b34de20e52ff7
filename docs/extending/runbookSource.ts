// The tools `runbooks.list` and `runbooks.read`: a folder of Markdown files, read in this process.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import type { ToolDefinition, ToolOutcome, ToolSource } from '../../shared/core/contract/tools.ts';
import { RetryableError } from '../../shared/core/errors.ts';
import { parseCallArguments } from '../../shared/text/callArguments.ts';

const SUFFIX = '.md';
const readArguments = z.strictObject({ name: z.string() });

const TOOLS: readonly ToolDefinition[] = [
  {
    name: 'runbooks.list',
    description: 'Lists the names of all runbooks.',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    readOnly: true,
  },
  {
    name: 'runbooks.read',
    description: 'Returns the text of one runbook.',
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string', description: 'A name from runbooks.list.' } },
      required: ['name'],
      additionalProperties: false,
    },
    readOnly: true,
  },
];

/** A source of the runbooks in `folder`. The names are those at the time of connecting. */
export function runbookSource(folder: string): ToolSource {
  return {
    name: 'runbooks',

    async connect(signal) {
      signal.throwIfAborted();
      const names = await runbookNames(folder);
      return {
        tools: TOOLS,
        async call({ name: tool, arguments: text }, { signal: stop, timeoutMs }) {
          if (tool === 'runbooks.list') return succeeded(names.join('\n') || 'There are no runbooks.');
          const { data, error } = readArguments.safeParse(parseCallArguments(text));
          if (error !== undefined) return failed(z.prettifyError(error));
          // Only what was listed: a name of the model's making could lead out of the folder.
          if (!names.includes(data.name)) return failed(`There is no runbook "${data.name}".`);

          const late = AbortSignal.timeout(timeoutMs);
          try {
            const signal = AbortSignal.any([stop, late]);
            return succeeded(await readFile(join(folder, data.name + SUFFIX), { encoding: 'utf8', signal }));
          } catch {
            stop.throwIfAborted();
            return failed(`The runbook "${data.name}" cannot be read.`, late.aborted);
          }
        },
        // No file stays open. A source that holds a connection ends it here, within seconds, and never
        // throws.
        close: () => Promise.resolve(),
      };
    },
  };
}

/** Sorted, so that results stay byte-stable. The cause is not passed on: it shows paths of the machine. */
async function runbookNames(folder: string): Promise<string[]> {
  const files = await readdir(folder).catch(() => {
    throw new RetryableError('TOOL_SERVER_UNAVAILABLE', 'The folder of the runbooks cannot be read.');
  });
  const runbooks = files.filter((file) => file.endsWith(SUFFIX)).sort();
  return runbooks.map((file) => file.slice(0, -SUFFIX.length));
}

const succeeded = (content: string): ToolOutcome => ({ content, isError: false, timedOut: false });
const failed = (content: string, timedOut = false): ToolOutcome => ({ content, isError: true, timedOut });
