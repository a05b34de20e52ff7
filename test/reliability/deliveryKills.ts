// Sessions end while `deliver` dies by SIGKILL and Slack's stand-in loses answers, in processes of their own.
// Counts what people then see: lost, doubled and "possibly repeated" messages, for the outbox with a search,
// without one, and with `@slack/web-api` and its own retries. `node test/reliability/deliveryKills.ts
// SESSIONS KILLS` prints the table.

import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Argument, Command } from 'commander';
import { type SlackFault, type SlackPost, startSlackServer } from '../../local/destinations/slackServer.ts';
import { scriptedModel } from '../../local/model.ts';
import { startSystem } from '../../local/system.ts';
import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import type { Delivery } from '../../shared/kits/deliveries/delivery.ts';
import { deliveryType, paths, sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { asObject, asText } from '../../shared/text/json.ts';
import { wholeNumber } from '../mutants/campaign.ts';

const TOKEN = 'xoxb-a-token-of-this-test';
/** Sessions of a channel: fewer than an hour shows as messages of their own. */
const PER_CHANNEL = 10;
/** The channel of a destination ends with its digit. */
const KINDS = { probe: 1, plain: 2, defaults: 3 } as const;
type Kind = keyof typeof KINDS;
const KIND_NAMES = Object.keys(KINDS) as Kind[];
/** Longer than all attempts and searches after the last death. */
const SETTLE_MS = 25 * 60_000;
const POLL_MS = 50;
/** Sessions that are opened before the first death. */
const AHEAD = 30;

/** The messages of one kind of destination. */
interface KillCounts {
  messages: number;
  /** Results without message that the outbox counts as sent or failed, or still has. */
  lost: number;
  /** Messages that exist more often than once. */
  doubled: number;
  /** Marked "possibly repeated": people see that they can exist twice. */
  possiblyRepeated: number;
  /** Shown as of unknown arrival, and not sent again. */
  unknown: number;
}

/** The result of a run. */
export interface KillReport {
  sessions: number;
  kills: number;
  faults: number;
  counts: Record<Kind, KillCounts>;
}

const channelOf = (kind: Kind, group: number): string => `C${String(group).padStart(9, '0')}${KINDS[kind]}`;

function writeConfig(folder: string, groups: number, apiUrl: string): void {
  const all = Array.from({ length: groups }, (_, group) => group);
  const names = all.flatMap((group) => KIND_NAMES.map((kind) => ({ name: `${kind}-${group}`, kind, group })));
  const files: Record<string, unknown> = {
    'models.yaml': { default: 'flash', models: { flash: { provider: 'google', model: 'gemini-3.8-flash' } } },
    'agents.yaml': {
      agents: { investigator: { description: 'Investigates', instructions: 'You investigate.' } },
    },
    'servers.yaml': { servers: {} },
    // Without the limit of an hour: half of the sessions would start in the next one.
    'system.yaml': { summaryModel: 'off', sessionsPerHour: 'off' },
    'chains.yaml': {
      default: 'chain-0',
      chains: Object.fromEntries(
        all.map((group) => [
          `chain-${group}`,
          {
            stages: [{ name: 'investigation', agents: ['investigator'] }],
            notify: KIND_NAMES.map((kind) => ({
              to: `${kind}-${group}`,
              when: ['opened', 'ended', 'failed'],
            })),
          },
        ]),
      ),
    },
    'destinations.yaml': {
      destinations: Object.fromEntries(
        names.map(({ name, kind, group }) => [
          name,
          { kind: 'slack', token: TOKEN, channel: channelOf(kind, group), apiUrl },
        ]),
      ),
    },
  };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(folder, name), JSON.stringify(value));
}

/** Runs sessions and kills. @param onProgress called with lines for people. */
export async function runDeliveryKills(
  sessions: number,
  kills: number,
  onProgress: (line: string) => void = () => {},
): Promise<KillReport> {
  const folder = mkdtempSync(join(tmpdir(), 'inquest-delivery-kills-'));
  const pidFile = join(folder, 'deliver.pid');
  const groups = Math.ceil(sessions / PER_CHANNEL);
  const plan = planFaults(pidFile, sessions, kills, onProgress);
  const slack = await startSlackServer({
    token: TOKEN,
    faultOf: plan.faultOf,
    visibleAfterMs: (body) => chanceOf('visible', idOf(body)) * 20_000,
    channels: new Proxy({}, { get: () => 'member' as const }),
  });
  writeConfig(folder, groups, slack.url);
  writeFileSync(
    join(folder, 'model.yaml'),
    JSON.stringify({ conversations: [{ name: 'all', turns: [{ text: 'The disk is full.' }] }] }),
  );
  const model = await scriptedModel({ scriptFile: join(folder, 'model.yaml'), why: 'a test' });
  const projectId = `demo-kills-${process.pid}`;
  const system = await startSystem({
    projectId,
    env: { ...model.env, INQUEST_CONFIG: folder },
    functionEnv: { DELIVER_PID: pidFile, SLACK_STAND_IN: slack.url, SLACK_TOKEN: TOKEN },
    sweepEveryMs: 5_000,
    separate: true,
    functionSources: { deliver: fileURLToPath(new URL('fixtures/killableDeliver.ts', import.meta.url)) },
  });
  Object.assign(process.env, system.env);
  const store = createFirestoreStore({ projectId });
  const publisher = createPubsubPublisher({ projectId });
  try {
    for (let index = 0; index < sessions; index++) {
      // The sessions end during all of the kills.
      await until(() => plan.killed() >= Math.floor(((index - AHEAD) * kills) / sessions));
      const attributes = { chain: `chain-${index % groups}` };
      await publisher.publish(
        TOPICS.alerts,
        Buffer.from(JSON.stringify({ title: `Alert ${index}` })),
        attributes,
      );
    }
    await until(() => plan.killed() === kills);
    const deliveries = await settled(sessions, store, onProgress);
    const counts = Object.fromEntries(
      KIND_NAMES.map((kind) => [kind, countOf(kind, deliveries, slack.posts)]),
    ) as Record<Kind, KillCounts>;
    return { sessions, kills: plan.killed(), faults: plan.faults(), counts };
  } finally {
    await Promise.all([store.close(), publisher.close()]);
    await system.stop();
    await Promise.all([model.stop(), slack.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A number from 0 to 1 that only depends on the words. */
const chanceOf = (...words: string[]): number =>
  createHash('sha256').update(words.join(' ')).digest().readUInt32BE() / 2 ** 32;

/** How a process dies: before its request has an effect, after it, or with the answer on the way. */
const DEATHS: readonly (SlackFault | undefined)[] = [
  { kind: 'cut' },
  { kind: 'cut_after_effect' },
  undefined,
];

/**
 * Faults that only depend on the message and the attempt, and deaths at counted requests. A process dies
 * while the stand-in holds its request.
 */
function planFaults(pidFile: string, sessions: number, kills: number, onProgress: (line: string) => void) {
  // A session has six writes or more: first message or edit, and analysis, per destination.
  const every = Math.max(1, Math.floor((sessions * 4) / (kills + 1)));
  const attempts = new Map<string, number>();
  let [writes, killed, faults, last] = [0, 0, 0, ''];
  const faultOf = (method: string, body: Record<string, unknown>): SlackFault | undefined => {
    if (!method.startsWith('chat.')) return undefined;
    writes += 1;
    const pid = existsSync(pidFile) ? readFileSync(pidFile, 'utf8') : '';
    // Of a process that has just died, one more request can be on the way.
    if (killed < kills && writes >= (killed + 1) * every && pid !== last && pid !== '') {
      process.kill(Number(pid), 'SIGKILL');
      last = pid;
      killed += 1;
      if (killed % 10 === 0) onProgress(`${killed} kills`);
      return DEATHS[killed % DEATHS.length];
    }
    const request = `${method} ${body.channel} ${idOf(body)}`;
    const attempt = (attempts.get(request) ?? 0) + 1;
    attempts.set(request, attempt);
    const fault = faultFor(chanceOf(request, String(attempt)));
    if (fault !== undefined) faults += 1;
    return fault;
  };
  return { faultOf, killed: () => killed, faults: () => faults };
}

function faultFor(chance: number): SlackFault | undefined {
  if (chance < 0.05) return { kind: 'cut_after_effect' };
  if (chance < 0.08) return { kind: 'status_after_effect' };
  if (chance < 0.11) return { kind: 'cut' };
  return chance < 0.13 ? { kind: 'rate_limited', retryAfterS: 1 } : undefined;
}

/** Waits for a condition. @throws Error after the limit. */
async function until(isTrue: () => boolean): Promise<void> {
  for (const limit = Date.now() + SETTLE_MS; !isTrue(); await sleep(POLL_MS))
    if (Date.now() > limit) throw new Error('the processes did not die in time');
}

type Store = ReturnType<typeof createFirestoreStore>;

/** All deliveries, once none is open, or after the limit. */
async function settled(
  sessions: number,
  store: Store,
  onProgress: (line: string) => void,
): Promise<Delivery[]> {
  const limit = Date.now() + SETTLE_MS;
  let last = '';
  for (;;) {
    const found = await store.list({ collection: paths.sessions }, sessionType);
    const lists = await Promise.all(
      found.map(({ id }) => store.list({ collection: paths.deliveries(id) }, deliveryType)),
    );
    const deliveries = lists.flat().map(({ value }) => value);
    const open = deliveries.filter(({ state }) => state === 'pending' || state === 'sending').length;
    const ended = found.filter(({ value }) => isTerminal(value.status)).length;
    if ((ended === sessions && open === 0) || Date.now() > limit) return deliveries;
    const line = `${ended} of ${sessions} sessions ended, ${open} messages open`;
    if (line !== last) onProgress(line);
    last = line;
    await sleep(1_000);
  }
}

const idOf = ({ metadata }: { metadata?: unknown }): string =>
  asText(asObject(asObject(metadata).event_payload).id) ?? '';

function countOf(kind: Kind, deliveries: readonly Delivery[], posts: readonly SlackPost[]): KillCounts {
  const own = posts.filter(({ channel }) => channel.endsWith(String(KINDS[kind])));
  // An edit has the id of its own delivery: the first message is counted by session.
  const keyOf = (post: SlackPost) => {
    const [session] = idOf(post).split(`.${kind}-`);
    const isMarked = post.text.startsWith('Possibly repeated');
    return `${session} ${post.threadTs === undefined ? 'result' : 'details'} ${isMarked ? 'marked' : ''}`;
  };
  const shown = Map.groupBy(own, keyOf);
  const results = deliveries.filter(
    ({ destination, event }) =>
      destination.startsWith(`${kind}-`) && (event === 'ended' || event === 'failed'),
  );
  const isShown = (sessionId: string) =>
    own.some((post) => idOf(post).startsWith(`${sessionId}.${kind}-`) && /Investigated/.test(post.text));
  return {
    messages: own.length,
    lost: results.filter(({ sessionId, state }) => state !== 'unknown' && !isShown(sessionId)).length,
    doubled: [...shown.values()].reduce((sum, { length }) => sum + length - 1, 0),
    possiblyRepeated: own.filter(({ text }) => text.startsWith('Possibly repeated')).length,
    unknown: deliveries.filter(
      ({ destination, state }) => destination.startsWith(`${kind}-`) && state === 'unknown',
    ).length,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { processedArgs } = new Command('deliveryKills')
    .addArgument(new Argument('[sessions]').argParser(wholeNumber).default(200))
    .addArgument(new Argument('[kills]').argParser(wholeNumber).default(60))
    .parse();
  const [sessions, kills] = processedArgs as [number, number];
  const report = await runDeliveryKills(sessions, kills, (line) => console.error(line));
  console.log(JSON.stringify(report, null, 2));
}
