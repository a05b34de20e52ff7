// A process of the bench that masks large results of tools at once, as an iteration does, and prints what
// memory that took: `node maskingMemoryChild.ts FILE...`, one file for each result.

import { readFile } from 'node:fs/promises';
import type { ToolSource } from '../../shared/core/contract/tools.ts';
import { cutSteps } from '../../shared/features/results/cutResult.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { runGradually } from '../../shared/text/yieldingSteps.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import type { MaskingMemory } from './maskingMemory.ts';

// What an instance has loaded that runs iterations.
await Promise.all([
  import('../../functions/runIteration.ts'),
  import('@google-cloud/firestore'),
  import('@google-cloud/pubsub'),
  import('@google/genai'),
  import('@modelcontextprotocol/client'),
]);

const files = process.argv.slice(2);
const source: ToolSource = {
  name: 'bench',
  connect: async () => ({
    tools: [{ name: 'bench.read', description: 'Reads.', inputSchema: { type: 'object' }, readOnly: true }],
    // As it comes from a connection: bytes that are decoded.
    call: async ({ arguments: file }) => ({
      content: (await readFile(file)).toString(),
      isError: false,
      timedOut: false,
    }),
    close: async () => {},
  }),
};
const { signal } = new AbortController();
const executor = await createToolConnector([source], { warn: () => {} })(['bench'], { signal });
const maskerFor = createMaskers({ known: ['a-known-secret-of-the-bench'] });
const baseline = process.memoryUsage().rss;

/** Processor milliseconds of this thread. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
let longestMs = 0;
let longestCpuMs = 0;
let last = performance.now();
let lastCpu = threadMs();
const turn = setInterval(() => {
  const [now, cpu] = [performance.now(), threadMs()];
  longestMs = Math.max(longestMs, now - last);
  longestCpuMs = Math.max(longestCpuMs, cpu - lastCpu);
  [last, lastCpu] = [now, cpu];
}, 1);

const before = process.cpuUsage();
const results = await Promise.all(
  files.map(async (file, index) => {
    const masker = maskerFor(`session ${index}`);
    const call = { callId: `call_${index}`, name: 'bench.read', arguments: file };
    const result = await executor.execute(call, {
      signal,
      timeoutMs: 600_000,
      maxResultBytes: 64_000,
      mask: (content) => masker.maskGradually(content),
      idempotencyKey: call.callId,
      traceparent: null,
    });
    const { large } = result;
    const shown = large && (await runGradually(cutSteps(large.text, large.maxBytes, 'The whole is stored.')));
    return { result, shown };
  }),
);
clearInterval(turn);
const { user, system } = process.cpuUsage(before);
const measured: MaskingMemory = {
  peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
  baselineMb: baseline / 1e6,
  longestMs,
  longestCpuMs,
  cpuMs: (user + system) / 1000,
  marks: results.reduce((sum, { result }) => sum + (result.masked ?? 0), 0),
};
console.log(JSON.stringify(measured));
process.exit(0);
