// Many long investigations in one instance: what it keeps of them is bounded, and a heap as small as that of
// a function with 512 MiB is enough. A process whose heap is not enough dies, and its messages come again
// until it has died often.

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { startScriptedModel } from '../../local/scriptedModel/startScriptedModel.ts';
import { startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { deriveAlertKey } from '../../shared/kits/alerts/sessionId.ts';
import { awaitSessionId } from '../../shared/kits/views/awaitSession.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { ownConfig } from '../support/ownConfig.ts';
import { startTextServer } from '../tools/httpServer.ts';

/** Node takes about 256 MB where there are 512. */
const HEAP_MB = 192;
const INVESTIGATIONS = 20;
/** As much as 60 iterations with results of 20 kB, in one. */
const RESULTS = 4;
const RESULT_BYTES = 300_000;

it('twenty conversations of 1.2 MB at once need no more than a small heap', async ({ signal }) => {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const server = await startTextServer();
  const toolCalls = Array.from({ length: RESULTS }, (_, index) => ({
    name: 'text.text',
    args: { length: RESULT_BYTES, pattern: `line ${index}\n` },
  }));
  const gemini = await startScriptedModel({
    script: { conversations: [{ turns: [{ toolCalls }, { text: 'The database ran out of connections.' }] }] },
  });
  const restarts: string[] = [];
  const system = await startSystem({
    projectId,
    env: {
      INQUEST_CONFIG: ownConfig({
        tools: ['text'],
        // However slow the machine is, every call has a result, and one whose process dies is made again.
        servers: {
          text: { transport: 'http', url: server.url, connectTimeout: '8m', readOnly: ['text'] },
        },
        system: { toolResultLimit: '400KB', toolTimeout: '8m' },
      }),
      GOOGLE_GEMINI_BASE_URL: gemini.url,
      GEMINI_API_KEY: 'scripted',
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}`,
    },
    onLine: (name, line) => {
      if (/heap out of memory|restarting/.test(line)) restarts.push(`${name}: ${line}`);
    },
  });
  const store = createFirestoreStore({ projectId });
  const publisher = createPubsubPublisher({ projectId });
  try {
    const sessionIds = await Promise.all(
      Array.from({ length: INVESTIGATIONS }, async () => {
        const data = Buffer.from('Checkout is slow.');
        const messageId = await publisher.publish(TOPICS.alerts, data, {});
        return awaitSessionId(deriveAlertKey({ messageId, data }), store, signal);
      }),
    );
    const statuses = () =>
      Promise.all(
        sessionIds.map(async (id) => (await store.get(paths.session(id), sessionType))?.value.status),
      );
    await expect
      .poll(async () => (await statuses()).every((status) => status && isTerminal(status)))
      .toBe(true);
    expect(await statuses()).toEqual(sessionIds.map(() => 'completed'));
    expect(restarts).toEqual([]);
    const events = await Promise.all(
      sessionIds.map((id) => store.list({ collection: paths.timeline(id) }, timelineEventType)),
    );
    const results = events.flat().filter(({ value }) => value.eventType === 'tool_result');
    const cut = results.filter(({ value }) => value.content.length < RESULT_BYTES);
    expect(cut.map(({ value }) => value.content.slice(0, 200))).toEqual([]);
    expect(results).toHaveLength(INVESTIGATIONS * RESULTS);
    // Each conversation was sent whole in the end.
    const sent = gemini.requests.map(({ body }) => JSON.stringify(body).length);
    expect(sent.filter((length) => length > RESULTS * RESULT_BYTES).length).toBeGreaterThanOrEqual(
      INVESTIGATIONS,
    );
  } finally {
    await Promise.all([system.stop(), store.close(), publisher.close(), gemini.stop(), server.close()]);
  }
});
