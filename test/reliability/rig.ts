// The whole system with functions that can be killed, and what a test needs to drive it.

import { randomBytes, randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { bundleModules } from '../../deploy/bundle.ts';
import type { FunctionName } from '../../functions/manifest.ts';
import { startProcess } from '../../local/processes/childProcess.ts';
import { startSystem } from '../../local/system.ts';
import { loadConfig } from '../../shared/config/load.ts';
import { ALL_ON } from '../../shared/contract/switches.ts';
import { type ConsumedTopic, TOPICS } from '../../shared/core/contract/publisher.ts';
import type { Store } from '../../shared/core/contract/store.ts';
import { LEASE_MS } from '../../shared/core/kernel/execution/lease.ts';
import { PUBLICATION_MS } from '../../shared/core/kernel/execution/publishAgain.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { ingestAlert } from '../../shared/features/alerts/ingestAlert.ts';
import { decideApproval } from '../../shared/kits/approvals/decideApproval.ts';
import { listApprovals } from '../../shared/kits/views/listApprovals.ts';
import { executionType, paths, sessionType } from '../../shared/lists/documents.ts';
import { intakeFeatures } from '../../shared/lists/intakeFeatures.ts';
import { createLogger } from '../../shared/log.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { type Investigation, readInvestigation } from '../support/harness.ts';
import { computeSessionId } from '../support/sessionIds.ts';
import { SIGNATURES } from '../support/signatures.ts';
import {
  type Arming,
  arm,
  CONTROL,
  clockFile,
  disarm,
  isArmed,
  type Kill,
  type Killable,
  killsIn,
  pauseFile,
  pidFile,
} from './fixtures/arming.ts';
import { openFrontDoors } from './fixtures/frontDoor.ts';
import { type Asked, type ModelGateway, startModelGateway } from './fixtures/modelGateway.ts';
import { leap, sharedClock, startSharedClock } from './fixtures/sharedClock.ts';
import { startToolServer, type ToolRun } from './fixtures/toolServer.ts';
import { openWebhooks } from './fixtures/webhooks.ts';

const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const CONFIG = fixture('config');
/** Below node_modules, where a bundle finds the functions-framework. */
const BUNDLES = fileURLToPath(new URL('../../node_modules/.cache/inquest-killable', import.meta.url));
/** How a process that was killed by SIGKILL ended, as its guard tells. */
export const KILLED = 'exit code 137';
/** After this a lease has run out. */
export const LEASE_LEAP_MS = LEASE_MS + 1;
/** What is said of a function whose process ended. */
const ENDED = '(ended with';
const SWEEP_EVERY_MS = 1_000;
/** The log of a delivery that is refused because its message was published a moment ago. */
const RECENT = 'was published, and is not claimed yet';

/** Of a line of a function's log. */
interface LogLine {
  'logging.googleapis.com/labels'?: { sessionId?: string };
}

/** An alert that is not published yet: processes can be armed for it before anything happens. */
interface PlannedAlert {
  title: string;
  traceparent: string;
  data: Buffer;
}

export interface Rig {
  store: Store;
  /** Address of the API; empty without destinations. */
  api: string;
  /** The time of all functions but the API. */
  now(): Date;
  /** What a dying investigation is told apart by. */
  planAlert(): PlannedAlert;
  /** Puts it on the topic; returns the id of the session it opens. */
  publish(alert: PlannedAlert, chain: string): Promise<string>;
  /** Opens its session as if all messages to its agents had been lost. */
  openWithoutMessages(alert: PlannedAlert, chain: string): Promise<string>;
  /** Puts anything on a topic. Returns the message's id. */
  publishRaw(topic: ConsumedTopic, data: Uint8Array): Promise<string>;

  arm(name: Killable, arming: Omit<Arming, 'times'> & { times?: number }): void;
  disarm(name: Killable): void;
  isArmed(name: Killable): boolean;
  /** Path of a file for `Arming.until`, and what creates it. */
  gate(): { path: string; open: () => void };
  /** The deaths that were ordered, so far. */
  kills(): Kill[];
  /** How often a function's process has been killed. Anything else that ends it fails the test. */
  deaths(name: FunctionName): number;
  /** Resolves when a function has been killed more often than `before`. */
  died(name: FunctionName, before: number): Promise<void>;
  /** Kills a running function from outside; its holds run out. Resolves when it is dead. */
  kill(name: FunctionName): Promise<void>;
  /** Runs a canceller, or one that pauses or resumes; resolves with its end: `exit code 0`. */
  cancel(sessionId: string, action?: 'cancel' | 'pause' | 'resume'): Promise<string>;

  /** Moves the clock of all functions. */
  leap(ms: number): void;
  /** Whether the sweep does its work; it does at first. */
  sweeps(yes: boolean): void;
  /** Lines of a function's output. */
  lines(name: FunctionName): string[];
  /** All lines of all processes, each after its name. */
  output(): string[];

  /** The investigation, once it has ended. */
  ended(sessionId: string): Promise<Investigation>;
  read(sessionId: string): Promise<Investigation>;
  /** The interactions that the model has stored. */
  interactions: ModelGateway['interactions'];
  /** What the model was asked for this session, in order. */
  asked(sessionId: string): Asked[];
  /** The calls of a session that tools ran, in order. */
  toolRuns(sessionId: string): ToolRun[];
  /** Keys of the orders that a session's tools placed. */
  orders(sessionId: string): string[];
  /** Approves the only call of a session that waits, once it does. */
  approve(sessionId: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts everything, on a Firestore and Pub/Sub project of its own.
 * @param maxDeliveryAttempts before an iteration message becomes a dead letter, 5 to 100.
 * @param destinations of destinations.yaml. Default: none, and no API.
 */
export async function startRig(maxDeliveryAttempts: number, destinations?: object): Promise<Rig> {
  const projectId = `demo-${randomUUID().slice(0, 8)}`;
  const control = mkdtempSync(join(tmpdir(), 'inquest-reliability-'));
  const configFolder = join(control, 'config');
  cpSync(CONFIG, configFolder, { recursive: true });
  if (destinations !== undefined)
    writeFileSync(join(configFolder, 'destinations.yaml'), JSON.stringify({ destinations }));
  startSharedClock(clockFile(control));
  const store = createFirestoreStore({ projectId });
  const publisher = createPubsubPublisher({ projectId });
  // Bundled as they are deployed: each of the many starts takes half the time.
  const bundles = join(BUNDLES, String(maxDeliveryAttempts));
  const killable = join(bundles, 'killable.js');
  const [gateway, tools] = await Promise.all([
    startModelGateway(store),
    startToolServer(store),
    bundleModules([fixture('killable.ts'), fixture('cancel.ts')], bundles, {
      // The host of the functions has the registry.
      external: ['@google-cloud/functions-framework', 'langchain', '@langchain/*'],
    }),
  ]);
  const output: { name: string; line: string }[] = [];
  const webhooks = await openWebhooks({ store, publisher });
  const env = {
    INQUEST_CONFIG: configFolder,
    GOOGLE_GEMINI_BASE_URL: gateway.url,
    GEMINI_API_KEY: 'scripted',
    RELIABILITY_TOOLS_URL: tools.url,
    GEMINI_WEBHOOK_URL: webhooks.url,
  };
  /**
   * A write that reached the store after its writer died, and after the leap of that death, counts as a
   * publication of now: the clock stands still, so that it has to leap once more. Not while a lease is held,
   * which would run out.
   */
  const leapWhenIdle = async (line: string) => {
    const { 'logging.googleapis.com/labels': labels } = JSON.parse(line) as LogLine;
    const collection = paths.executions(labels?.sessionId ?? '');
    const executions = await store.list({ collection }, executionType);
    if (executions.every(({ value }) => value.lease === null)) leap(clockFile(control), PUBLICATION_MS);
  };
  const system = await startSystem({
    projectId,
    env,
    functionEnv: { [CONTROL]: control },
    sweepEveryMs: SWEEP_EVERY_MS,
    separate: true,
    functionSources: {
      ingestAlert: killable,
      runIteration: killable,
      buryIteration: killable,
      sweep: killable,
      deliver: killable,
    },
    api: destinations !== undefined,
    onLine: (name, line) => {
      output.push({ name, line });
      if (line.startsWith(ENDED)) rmSync(pidFile(control, name), { force: true });
      if (line.includes(RECENT))
        leapWhenIdle(line).catch((error) => output.push({ name: 'rig', line: `${error}` }));
    },
  });
  const closeDoors = await openFrontDoors(system, maxDeliveryAttempts);

  const lines = (name: FunctionName) => output.filter((one) => one.name === name).map(({ line }) => line);
  const deaths = (name: FunctionName) => {
    const ends = lines(name).filter((line) => line.startsWith(ENDED));
    expect(ends.filter((line) => !line.includes(KILLED))).toEqual([]);
    return ends.length;
  };
  let alerts = 0;
  let gates = 0;

  return {
    store,
    api: system.endpoints.api ?? '',
    now: () => sharedClock(clockFile(control)).now(),
    planAlert() {
      const title = `alert-${++alerts}`;
      const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
      return { title, traceparent, data: Buffer.from(JSON.stringify({ title })) };
    },
    async publish({ data, traceparent }, chain) {
      const messageId = await publisher.publish(TOPICS.alerts, data, { chain, traceparent });
      return computeSessionId({ messageId, data }, new Date());
    },
    async openWithoutMessages({ data, traceparent, title }, chain) {
      const config = loadConfig(configFolder, { ...process.env, ...env });
      const identity = { messageId: title, data };
      const message = {
        ...identity,
        attributes: { chain },
        traceparent,
        publishedAt: null,
        deliveryAttempt: null,
      };
      const clock = sharedClock(clockFile(control));
      const deps = composeState({
        store,
        publisher: createMemoryPublisher(),
        clock,
        log: createLogger({ LOG_LEVEL: 'silent' }),
        maskerFor: createMaskers({}),
      });
      await ingestAlert(message, config, deps, intakeFeatures(ALL_ON));
      return computeSessionId(identity, clock.now());
    },
    publishRaw: (topic, data) => publisher.publish(topic, data, {}),

    arm: (name, arming) => arm(control, name, { times: 1, ...arming }),
    disarm: (name) => disarm(control, name),
    isArmed: (name) => isArmed(control, name),
    gate() {
      const path = join(control, `gate-${++gates}`);
      return { path, open: () => writeFileSync(path, '') };
    },
    kills: () => killsIn(control),
    deaths,
    died: (name, before) => expect.poll(() => deaths(name)).toBeGreaterThan(before),
    async kill(name) {
      const before = deaths(name);
      await expect.poll(() => existsSync(pidFile(control, name))).toBe(true);
      process.kill(Number(readFileSync(pidFile(control, name), 'utf8')), 'SIGKILL');
      leap(clockFile(control), LEASE_LEAP_MS);
      await expect.poll(() => deaths(name)).toBeGreaterThan(before);
    },
    cancel: (sessionId, action = 'cancel') =>
      startProcess({
        name: 'the canceller',
        command: process.execPath,
        args: [join(bundles, 'cancel.js'), sessionId, action],
        env: { ...process.env, ...env, [CONTROL]: control, ...system.env },
        onLine: (line) => output.push({ name: 'canceller', line }),
      }).exited,

    leap: (ms) => leap(clockFile(control), ms),
    sweeps(yes) {
      if (yes) rmSync(pauseFile(control), { force: true });
      else writeFileSync(pauseFile(control), '');
    },
    lines,
    output: () => output.map(({ name, line }) => `${name}: ${line}`),

    async ended(sessionId) {
      await endOf(sessionId, store);
      return readInvestigation(store, sessionId);
    },
    read: (sessionId) => readInvestigation(store, sessionId),
    interactions: gateway.interactions,
    asked: (sessionId) => gateway.asked.filter((one) => one.sessionId === sessionId),
    orders: (sessionId) => tools.orders.filter((key) => key.startsWith(`${sessionId}/`)),
    async approve(sessionId) {
      const clock = sharedClock(clockFile(control));
      const find = async () =>
        (await listApprovals(store, clock.now())).find((approval) => approval.sessionId === sessionId);
      await expect.poll(find).toBeDefined();
      const log = createLogger({ LOG_LEVEL: 'silent' });
      const services = composeState({
        store,
        publisher,
        clock,
        log,
      });
      const deps = { ...services, maskerFor: createMaskers({}), ...SIGNATURES };
      const decision = { verdict: 'approved', by: 'a person', reason: null } as const;
      const outcome = await decideApproval((await find())?.approvalId ?? '', decision, deps);
      expect(outcome.kind).toBe('decided');
    },
    toolRuns: (sessionId) => tools.runs.filter(({ key }) => key.startsWith(`${sessionId}/`)),
    async stop() {
      await system.stop();
      await Promise.all([
        closeDoors(),
        gateway.close(),
        webhooks.close(),
        tools.close(),
        publisher.close(),
        store.close(),
      ]);
      rmSync(control, { recursive: true, force: true });
    },
  };
}

/** Resolves when a session has ended. */
function endOf(sessionId: string, store: Store): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = store.watch(
      { collection: paths.sessions, idPrefix: sessionId },
      sessionType,
      (documents) => {
        if (!documents.some(({ id, value }) => id === sessionId && isTerminal(value.status))) return;
        stop();
        resolve();
      },
      reject,
    );
  });
}
