// Messages about results: from the commit that ends a session to the message in Slack's stand-in, and 200
// endings at once in one channel, with Slack's limit of one message a second
// (https://docs.slack.dev/apis/web-api/rate-limits).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type SlackFault, startSlackServer } from '../../local/destinations/slackServer.ts';
import { startSystem } from '../../local/system.ts';
import { notifyPart } from '../../shared/config/notified.ts';
import { createDocument, replaceDocument } from '../../shared/core/contract/store.ts';
import { NO_PARTS, withPart } from '../../shared/core/schema/parts.ts';
import { deliveryGroupType, deliveryType, paths, sessionType } from '../../shared/lists/documents.ts';
import { createLogger } from '../../shared/log.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { outboxStore } from '../support/outboxStore.ts';
import { sampleSession } from '../support/samples.ts';
import { spread } from './spread.ts';

const TOKEN = 'xoxb-a-token-of-the-bench';
const CHANNEL = 'C0123456789';
const SINGLE = 31;
const AT_ONCE = 200;
const LIMIT_MS = 6 * 60_000;

/** Measures both, and prints them. @param folder for the configuration; it is created. */
export async function measureDeliveries(folder: string): Promise<void> {
  let isLimited = false;
  let lastAt = 0;
  let refused = 0;
  const faultOf = (method: string): SlackFault | undefined => {
    if (!isLimited || method !== 'chat.postMessage') return undefined;
    const now = Date.now();
    if (now - lastAt < 1_000) {
      refused += 1;
      return { kind: 'rate_limited', retryAfterS: 1 };
    }
    lastAt = now;
    return undefined;
  };
  const slack = await startSlackServer({ token: TOKEN, channels: { [CHANNEL]: 'member' }, faultOf });
  writeConfig(folder, slack.url);
  const projectId = `demo-bench-${process.pid}`;
  const system = await startSystem({
    projectId,
    env: { INQUEST_CONFIG: folder, GEMINI_API_KEY: 'unused', GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9' },
  });
  Object.assign(process.env, system.env);
  const store = createFirestoreStore({ projectId });
  const publisher = createPubsubPublisher({ projectId });
  const clock = { now: () => new Date() };
  const writer = outboxStore(store, { publisher, clock, log: createLogger({ LOG_LEVEL: 'silent' }) });

  /** A session that runs, and the function that ends it. */
  const running = async (sessionId: string, to: string) => {
    const notify = [{ to, when: ['ended', 'failed'], digestMs: null }];
    const session = sampleSession({
      sessionId,
      ...withPart(notifyPart, NO_PARTS, { notify }),
      title: 'Checkout is slow',
      finalAnalysis: 'The disk is full.',
    });
    const path = paths.session(sessionId);
    const { ok } = await store.commit([createDocument(path, sessionType, session)]);
    const stored = ok ? await store.get(path, sessionType) : undefined;
    if (stored === undefined) throw new Error(`session ${sessionId} was not created`);
    const ended = { ...session, status: 'completed' as const, endedAt: new Date() };
    return () => writer.commit([replaceDocument(path, sessionType, ended, stored.version)]);
  };
  const ending = async (sessionId: string, to: string) =>
    (await store.get(paths.delivery(sessionId, to, 'ended', '1'), deliveryType))?.value;

  try {
    const times: { toMessage: number; own: number }[] = [];
    for (let index = 0; index < SINGLE; index++) {
      // A destination each: the message before does not hold this one back.
      const to = `single-${index}`;
      const id = `single-${index}`;
      await (await running(id, to))();
      for (;;) {
        const one = await ending(id, to);
        if (one?.state === 'sent' && one.sentAt !== null && one.sendingAt !== null) {
          const own = one.sentAt.getTime() - one.sendingAt.getTime();
          times.push({ own, toMessage: one.sentAt.getTime() - one.createdAt.getTime() });
          break;
        }
        await sleep(20);
      }
    }
    console.log('\n## Messages\n');
    console.log(
      `last commit to accepted message: ${spread(times.slice(1).map(({ toMessage }) => toMessage))} ms`,
    );
    console.log(`of it the request to the stand-in: ${spread(times.slice(1).map(({ own }) => own))} ms`);

    const ends = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => running(`many-${index}`, 'many')),
    );
    isLimited = true;
    const before = slack.posts.length;
    const start = Date.now();
    await Promise.all(ends.map((end) => end()));
    for (;;) {
      const states = await Promise.all(ends.map((_, index) => ending(`many-${index}`, 'many')));
      const groups = await store.list({ collection: 'deliveryGroups' }, deliveryGroupType);
      const isOver =
        states.every((one) => one?.state === 'sent' || one?.state === 'skipped') &&
        groups.every(({ value }) => value.state === 'sent' && value.dueAt === null);
      if (isOver || Date.now() - start > LIMIT_MS) break;
      await sleep(250);
    }
    const seconds = ((Date.now() - start) / 1_000).toFixed(1);
    const roots = slack.posts.slice(before).filter(({ threadTs }) => threadTs === undefined);
    console.log(
      `${AT_ONCE} endings at once in a channel: last message after ${seconds} s; ${roots.length} messages, the last one "${roots.at(-1)?.text}", ${refused} requests refused by the limit`,
    );
  } finally {
    await Promise.all([store.close(), publisher.close()]);
    await system.stop();
    await slack.close();
  }
}

function writeConfig(folder: string, apiUrl: string): void {
  mkdirSync(folder, { recursive: true });
  const names = ['many', ...Array.from({ length: SINGLE }, (_, index) => `single-${index}`)];
  const files: Record<string, unknown> = {
    'models.yaml': { default: 'flash', models: { flash: { provider: 'google', model: 'gemini-3.8-flash' } } },
    'agents.yaml': { agents: { one: { description: 'Investigates', instructions: 'You investigate.' } } },
    'servers.yaml': { servers: {} },
    'system.yaml': {},
    'chains.yaml': { default: 'a', chains: { a: { stages: [{ name: 'investigation', agents: ['one'] }] } } },
    'destinations.yaml': {
      destinations: Object.fromEntries(
        names.map((name) => [name, { kind: 'slack', token: TOKEN, channel: CHANNEL, apiUrl }]),
      ),
    },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
}
