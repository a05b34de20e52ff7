// One iteration in a process that was just started, as on a new instance: real SDKs, a scripted Gemini, a
// real MCP server. Argument: JSON of `ColdOptions`. Prints the milliseconds from the message to the end, and
// those of the processor.

import { setTimeout as sleep } from 'node:timers/promises';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { runIteration } from '../../shared/core/iteration/runIteration.ts';
import { FEATURES } from '../../shared/lists/iterationFeatures.ts';
import { createLlmClient } from '../../shared/llm/chooseClient.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { keepConnections } from '../../shared/tools/mcp/connectionCache.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';
import { openCloud } from '../../shared/wiring/openCloud.ts';
import { benchDeps } from './benchDeps.ts';

/** What a cold iteration works on. */
export interface ColdOptions {
  sessionId: string;
  executionId: string;
  /** The server `bench`, as `mcpServerConfigSchema` takes it. */
  server: unknown;
  /** Whether SDKs and connections are begun beside the claim, or after it and one after another. */
  sideBySide: boolean;
  /** Milliseconds added to every call of the store, for the way to a real one. */
  storeDelayMs: number;
}

const options = JSON.parse(process.argv[2] ?? '{}') as ColdOptions;
const { sessionId, executionId, sideBySide } = options;
const { store, publisher } = openCloud(process.env);
const kept = keepConnections({ now: Date.now });
const servers = { bench: mcpServerConfigSchema.parse({ ...Object(options.server), readOnly: ['*'] }) };
const connectTools = createToolConnector(mcpSources(servers, kept.connect), { warn: () => {} });
const { generate, ...llm } = createLlmClient({ env: process.env });
const claimed = Promise.withResolvers<void>();

const deps = benchDeps({
  store: delayed(store),
  publisher,
  llm: sideBySide ? { ...llm, generate } : { generate },
  async connectTools(...args) {
    if (!sideBySide) await claimed.promise;
    return connectTools(...args);
  },
});

const startedAt = performance.now();
const cpuBefore = process.cpuUsage();
const outcome = await runIteration(
  { schemaVersion: 1, sessionId, executionId, iteration: 1 },
  null,
  deps,
  FEATURES,
);
const { user, system } = process.cpuUsage(cpuBefore);
if (outcome.kind !== 'ran' || outcome.execution.iteration !== 2) {
  console.error(JSON.stringify(outcome));
  process.exit(1);
}
console.log(JSON.stringify({ ms: performance.now() - startedAt, cpuMs: (user + system) / 1_000 }));
await kept.close();
process.exit();

function delayed(real: Store): Store {
  const wait = () => sleep(options.storeDelayMs);
  return {
    ...real,
    get: (path, type) => wait().then(() => real.get(path, type)),
    list: (query, type) => wait().then(() => real.list(query, type)),
    async commit(writes) {
      await wait();
      const committed = await real.commit(writes);
      claimed.resolve();
      return committed;
    },
  };
}
