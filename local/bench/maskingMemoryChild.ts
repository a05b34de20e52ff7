// A process of the bench that masks large results of tools at once, as an iteration does, and prints what memory that took:
// `node maskingMemoryChild.ts KIND`.

import type { ToolSource } from '../../shared/contract/tools.ts';
import { createMaskers } from '../../shared/runtime/maskers.ts';
import { cutResult } from '../../shared/text/largeText/cutResult.ts';
import { createToolConnector } from '../../shared/tools/connectTools.ts';
import { LARGE_RESULTS, RESULT_LENGTH, RESULTS_AT_ONCE } from './largeResults.ts';

// What an instance has loaded that runs iterations.
await Promise.all([
  import('../../functions/runIteration.ts'),
  import('@google-cloud/firestore'),
  import('@google-cloud/pubsub'),
  import('@google/genai'),
  import('@modelcontextprotocol/sdk/client/index.js'),
]);

const baseline = process.memoryUsage().rss;
const makeText = LARGE_RESULTS[process.argv[2] ?? ''];
if (makeText === undefined) throw new Error(`no kind "${process.argv[2]}"`);
const source: ToolSource = {
  name: 'bench',
  connect: async () => ({
    tools: [{ name: 'bench.read', description: 'Reads.', inputSchema: { type: 'object' }, readOnly: true }],
    // As it comes from a connection: bytes that are decoded.
    call: async ({ callId }) => ({
      content: Buffer.from(makeText(RESULT_LENGTH, callId)).toString(),
      isError: false,
      timedOut: false,
    }),
    close: async () => {},
  }),
};
const { signal } = new AbortController();
const executor = await createToolConnector([source], { warn: () => {} })(['bench'], { signal });
const maskerFor = createMaskers({ known: ['a-known-secret-of-the-bench'] });

let longestMs = 0;
let last = performance.now();
const turn = setInterval(() => {
  const now = performance.now();
  longestMs = Math.max(longestMs, now - last);
  last = now;
}, 1);

const cpu = process.cpuUsage();
const startedAt = performance.now();
const masked = await Promise.all(
  Array.from({ length: RESULTS_AT_ONCE }, async (_, index) => {
    const masker = maskerFor(`session ${index}`);
    const call = { callId: `call_${index}`, name: 'bench.read', arguments: '{}' };
    const result = await executor.execute(call, {
      signal,
      timeoutMs: 600_000,
      maxResultBytes: 64_000,
      mask: (content) => masker.maskGradually(content),
      idempotencyKey: call.callId,
      traceparent: null,
    });
    const { large, masked: count = 0 } = result;
    if (large !== undefined) cutResult(large.text, large.maxBytes, 'The whole is stored.');
    return { result, count };
  }),
);
clearInterval(turn);
const { user, system } = process.cpuUsage(cpu);
console.log(
  JSON.stringify({
    peakMb: (process.resourceUsage().maxRSS * 1024) / 1e6,
    baselineMb: baseline / 1e6,
    longestMs,
    ms: performance.now() - startedAt,
    cpuMs: (user + system) / 1000,
    marks: masked.reduce((sum, { count }) => sum + count, 0),
  }),
);
process.exit(0);
