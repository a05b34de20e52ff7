// A process of the bench that is answered 200 MB by a tool, and prints what memory that took above what it
// had before: `node answerMemory.ts CONFIG ARGUMENTS`, both JSON.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { mcpServerConfigSchema } from '../../shared/config/serverConfig.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { mcpSources } from '../../shared/tools/mcp/mcpSource.ts';

const SAMPLE_MS = 2;
const MB = 1_000_000;
setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const [server = '', args = '{}'] = process.argv.slice(2);
const config = mcpServerConfigSchema.parse(JSON.parse(server));
const connect = createToolConnector(mcpSources({ hostile: config }), { warn: () => {} });
const { signal } = new AbortController();
const executor = await connect(['hostile'], { signal });
const call = (text: string) =>
  executor.execute(
    { callId: 'call_1', name: 'hostile.get_1', arguments: text },
    {
      signal,
      timeoutMs: 120_000,
      maxResultBytes: 64_000,
      mask: (content) => ({ text: content, count: 0 }),
      idempotencyKey: 'key',
      traceparent: null,
    },
  );

await call('{}');
collect();
const before = process.memoryUsage();
let external = 0;
let heap = 0;
const sampling = setInterval(() => {
  const now = process.memoryUsage();
  external = Math.max(external, now.external - before.external);
  heap = Math.max(heap, now.heapUsed - before.heapUsed);
}, SAMPLE_MS);
const startedAt = performance.now();
const { content } = await call(args);
const ms = performance.now() - startedAt;
clearInterval(sampling);
const peak = process.resourceUsage().maxRSS * 1_024 - before.rss;
collect();
const held = process.memoryUsage().rss - before.rss;
console.log(
  JSON.stringify({
    ms,
    peakMb: peak / MB,
    externalMb: external / MB,
    heapMb: heap / MB,
    heldMb: held / MB,
    content,
  }),
);
await executor.close();
process.exit(0);
