// Alerts that are delivered in any order to functions with a store in memory. No model is asked: a session
// stays as its alerts leave it, or is ended by a test.

import { ALERT_EVENTS } from '../../shared/alerts/schema/alert.ts';
import type { Budgets, Config } from '../../shared/config/config.ts';
import { NO_RUNBOOKS } from '../../shared/config/runbooks.ts';
import { triageFileSchema } from '../../shared/config/triageFile.ts';
import { replaceDocument } from '../../shared/core/contract/store.ts';
import type { AlertDeps } from '../../shared/core/kernel/deps.ts';
import { DEFAULT_INCIDENT_RULES, type IncidentRules } from '../../shared/core/schema/agent.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import { handleTick } from '../../shared/engine/handleTick.ts';
import { rememberSession } from '../../shared/features/knowledge/rememberSession.ts';
import { readCounts } from '../../shared/kits/views/reports.ts';
import { handleAlert } from '../../shared/lists/alertHandler.ts';
import { paths, sessionType, timelineEventType } from '../../shared/lists/documents.ts';
import { SWEEP_FEATURES } from '../../shared/lists/sweepFeatures.ts';
import { createLogger } from '../../shared/log.ts';
import { DEFAULT_MASKING } from '../../shared/masking/masker.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { composeEventarcEvent } from './pushEvents.ts';
import { samplePlan } from './samples.ts';
import { createTestClock } from './testClock.ts';

/** A message of the topic `alerts`. */
export interface AlertMessage {
  id: string;
  alert: object;
  /** Minutes after the rig's first moment. */
  publishedAt?: number;
  chain?: string;
  tenant?: string;
  /** Further attributes of the message. */
  attributes?: Record<string, string>;
}

/** The state of a session after its alerts. */
export interface IncidentState {
  session: Session;
  counts: { firing: number; resolved: number; acknowledged: number } | undefined;
  /** Code and content of the events about alerts, in their order. */
  events: string[];
}

const MINUTE = 60_000;
const maskerFor = createMaskers({});

/**
 * A rig whose chain has these rules.
 * @param budget sessions of an hour, or all budgets; no budget by default.
 * @param triage triage.yaml as it is written.
 */
export function createIncidentRig(
  rules: Partial<IncidentRules> = {},
  budget: number | Partial<Budgets> = {},
  triage: unknown = {},
) {
  const clock = createTestClock();
  const start = clock.now().getTime();
  const store = createMemoryStore(clock.now);
  const publisher = createMemoryPublisher();
  const deps: AlertDeps = composeState({
    store,
    publisher,
    clock,
    log: createLogger({ LOG_LEVEL: 'silent' }),
    maskerFor,
  });
  const chain = { name: 'test', stages: [samplePlan()], incident: { ...DEFAULT_INCIDENT_RULES, ...rules } };
  const config: Config = {
    askable: {},
    chains: { test: chain, other: { ...chain, name: 'other' } },
    defaultChain: 'test',
    alertRules: {},
    servers: {},
    sessionDeadlineMs: () => 40 * MINUTE,
    retentionMs: 24 * 60 * MINUTE,
    budgets: () => ({
      sessionsPerHour: [],
      dailyTokens: [],
      ...(typeof budget === 'number' ? { sessionsPerHour: [{ chain: null, limit: budget }] } : budget),
    }),
    ownServices: [],
    alertPromptBytes: 64_000,
    masking: DEFAULT_MASKING,
    runbooks: NO_RUNBOOKS,
    triage: triageFileSchema(triage).parse(triage),
  };
  const sessions = async () =>
    (await store.list({ collection: paths.sessions }, sessionType)).map(({ value }) => value);
  return {
    deps,
    store,
    clock,
    publisher,
    sessions,
    /** So many minutes after the first moment, as a source writes it. */
    at: (minutes: number) => new Date(start + minutes * MINUTE).toISOString(),
    deliver(
      { id, alert, publishedAt = 0, chain, tenant, attributes }: AlertMessage,
      own: AlertDeps = deps,
    ): Promise<void> {
      const event = composeEventarcEvent({
        id,
        data: JSON.stringify(alert),
        attributes: { ...(chain && { chain }), ...(tenant && { tenant }), ...attributes },
        publishTime: new Date(start + publishedAt * MINUTE).toISOString(),
      });
      return handleAlert(event, config, own);
    },
    sweep: () => handleTick(deps, SWEEP_FEATURES),
    /** The minutes that have passed since the first moment. */
    minute: () => (clock.now().getTime() - start) / MINUTE,
    /** Lets time pass until the next hour of UTC begins. */
    toNextHour: () => clock.advance(3_600_000 - (clock.now().getTime() % 3_600_000)),
    /** Ends a session, as its last stage would; a completed one with an analysis. */
    async end(
      sessionId: string,
      status: 'completed' | 'failed' = 'completed',
      change: Partial<Session> = {},
    ) {
      const stored = await store.get(paths.session(sessionId), sessionType);
      if (stored === undefined) throw new Error(`there is no session ${sessionId}`);
      const finalAnalysis = status === 'completed' ? 'A log fills the disk.' : null;
      const end = { status, finalAnalysis, endedAt: clock.now(), dueAt: null };
      const ended: Session = { ...stored.value, ...end, ...change };
      await store.commit([
        replaceDocument(stored.path, sessionType, ended, stored.version),
        ...rememberSession(ended, [], clock.now()),
      ]);
    },
    async read(sessionId: string): Promise<IncidentState> {
      const [session, { value: counts }, timeline] = await Promise.all([
        store.get(paths.session(sessionId), sessionType),
        readCounts(sessionId, store),
        store.list({ collection: paths.timeline(sessionId) }, timelineEventType),
      ]);
      if (session === undefined) throw new Error(`there is no session ${sessionId}`);
      const events = timeline
        .map(({ value }) => value)
        .filter(({ executionId }) => executionId === ALERT_EVENTS)
        .map(({ metadata, content }) => `${'code' in metadata ? metadata.code : ''}: ${content}`);
      if (counts === undefined) return { session: session.value, counts, events };
      const { firing, resolved, acknowledged } = counts;
      return { session: session.value, counts: { firing, resolved, acknowledged }, events };
    },
  };
}
