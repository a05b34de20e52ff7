// What a deployment must do. Each scenario fails with the reason as soon as it is certain that it is not met.
// None measures the time of this machine: it waits for calls and messages, and lets the shared clock pass.

import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Deployment } from './deployment.ts';
import type { Call } from './frontEnd.ts';

const POLL_MS = 20;
/** Cloud Run refuses a caller with these. */
const REFUSALS = [401, 403, 404];
/** Statuses of a session that continues. */
const OPEN = ['pending', 'in_progress'];

/** The chain of the sample configuration that uses tools and sends messages, as an attribute of an alert. */
const OBSERVED = { chain: 'observe' };

/** An alert with a title of its own. */
export const alertOf = (title: string) => ({ title, severity: 'critical', fingerprint: title });

/** Publishes an alert. @param more fields of it. @returns the id of its message. */
export async function publishAlert(
  { pubsub, settings }: Deployment,
  title: string,
  attributes: Record<string, string> = {},
  more: object = {},
): Promise<string> {
  const { name } = settings().topics.alerts ?? { name: '' };
  return pubsub.topic(name).publishMessage({ json: { ...alertOf(title), ...more }, attributes });
}

export async function sessionOf({ database }: Deployment, title: string) {
  // No index has the titles.
  const { docs } = await database.collection('sessions').get();
  const session = docs.find((document) => document.get('parts.alert.title') === title);
  return (
    session && {
      id: session.id,
      status: String(session.get('status')),
      /** The block "What changed". */
      changes: session.get('parts.changes.text') as string | undefined,
    }
  );
}

/** Waits until `find` finds something. @throws Error of `fault`, when it gives one. */
export async function until<T>(
  find: () => Promise<T | undefined> | T | undefined,
  fault: () => string | undefined = () => undefined,
): Promise<T> {
  for (;;) {
    const found = await find();
    if (found !== undefined) return found;
    const reason = fault();
    if (reason !== undefined) throw new Error(reason);
    await sleep(POLL_MS);
  }
}

/** Whether no service handles a call and no push is due: only time changes anything. */
const isQuiet = ({ pending, services }: Deployment): boolean =>
  pending.active() === 0 &&
  Object.values(services).every(({ frontEnd }) => frontEnd.calls.every(({ status }) => status !== undefined));

/** Waits until all calls have ended and no push is due. @throws Error of `fault`, when it gives one. */
export const untilQuiet = (deployment: Deployment, fault?: () => string | undefined): Promise<true> =>
  until(() => isQuiet(deployment) || undefined, fault);

/** Lets time pass until the next push. @returns whether there is one. */
function passToNextPush({ pending, clock }: Deployment): boolean {
  const dueMs = pending.nextDueMs();
  if (dueMs !== undefined) clock.advance(dueMs - clock.now().getTime());
  return dueMs !== undefined;
}

/**
 * Waits until all messages are delivered. Time passes to the next push whenever nothing else happens.
 * @throws Error of `fault`, when it gives one.
 */
export async function untilDelivered(
  deployment: Deployment,
  fault?: () => string | undefined,
): Promise<void> {
  do await untilQuiet(deployment, fault);
  while (passToNextPush(deployment));
}

/** Finds the first missing right or refused call from now on, as a sentence. */
export function refusals(deployment: Deployment): () => string | undefined {
  const { services, rights } = deployment;
  const from = callCounts(deployment);
  const denials = rights.denied.length;
  return () => {
    if (rights.denied.length > denials) return rights.denied[denials];
    for (const [name, { frontEnd }] of Object.entries(services)) {
      const calls = frontEnd.calls.slice(from.get(name) ?? 0);
      const refused = calls.find(({ status }) => REFUSALS.includes(status ?? 0));
      if (refused) return `${name} refused its caller with ${refused.status}`;
    }
    return undefined;
  };
}

/** How many calls each front end has had. */
const callCounts = ({ services }: Deployment) =>
  new Map(Object.entries(services).map(([name, { frontEnd }]) => [name, frontEnd.calls.length]));

export const frontEndOf = ({ services }: Deployment, name: string) =>
  services[name]?.frontEnd ?? expect.unreachable(`no service ${name}`);

/** An alert is investigated to its analysis. @param chain of the alert. Default: its own. */
export async function investigates(deployment: Deployment, title: string, chain?: string): Promise<void> {
  const fault = refusals(deployment);
  await publishAlert(deployment, title, chain === undefined ? {} : { chain });
  await completes(deployment, title, fault);
}

/** Waits until an alert's session ended with an analysis. @throws Error of `fault`, if any. */
export async function completes(
  deployment: Deployment,
  title: string,
  fault: () => string | undefined,
): Promise<void> {
  const status = await until(async () => {
    const session = await sessionOf(deployment, title);
    return session && !OPEN.includes(session.status) ? session.status : undefined;
  }, fault);
  expect(status).toBe('completed');
}

/** A failed delivery is repeated, but not within the first 10 s. */
export async function backsOff(deployment: Deployment, title: string): Promise<void> {
  const frontEnd = frontEndOf(deployment, 'ingestAlert');
  let failures = 1;
  frontEnd.instead = async () => (failures-- > 0 ? 503 : 204);
  const message = await publishAlert(deployment, title);
  await untilDelivered(deployment);
  frontEnd.instead = undefined;
  const [failed, repeated, ...others] = frontEnd.calls.filter(({ messageId }) => messageId === message);
  expect([failed?.status, repeated?.status, others]).toEqual([503, 204, []]);
  // Front end and Pub/Sub are in this process: a call takes milliseconds.
  if ((repeated?.startedMs ?? 0) - (failed?.endedMs ?? 0) < 5_000)
    throw new Error('a message came again within 5 s of its failure');
}

/** Pub/Sub waits for a call of three minutes. */
export async function waitsForSlowCalls(deployment: Deployment, title: string): Promise<void> {
  const { clock, model } = deployment;
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  let isAsked = false;
  model.before = async (body) => {
    if (!body.includes(title)) return;
    isAsked = true;
    await isReleased;
  };
  const fault = refusals(deployment);
  await publishAlert(deployment, title);
  await until(() => isAsked || undefined, fault);
  clock.advance(180_000);
  release();
  await untilDelivered(deployment);
  model.before = undefined;
  const { id, status } = (await sessionOf(deployment, title)) ?? {};
  const calls = frontEndOf(deployment, 'runIteration').calls.filter(({ sessionId }) => sessionId === id);
  if (calls.some((call) => call.status === 499)) throw new Error('Pub/Sub gave up a call that still ran');
  expect([status, calls.map((call) => call.status)]).toEqual(['completed', [204]]);
}

/** A message whose calls kill the service becomes a dead letter, which ends its session. */
export async function buriesDeadly(deployment: Deployment, title: string): Promise<void> {
  const { model, services } = deployment;
  model.before = async (body) => {
    if (!body.includes(title)) return;
    await until(() => hasStarted(deployment, title));
    await services.runIteration?.instance.kill();
  };
  const { status, calls, attempts } = await deadLetterOf(deployment, title, OBSERVED).finally(() => {
    model.before = undefined;
  });
  // 503 when the service died, 500 while the lease of a dead call holds.
  const failed = calls.filter((call) => call === 503 || call === 500);
  expect([status, failed.length, calls.length]).toEqual(['failed', attempts, attempts]);
}

/** Whether a claim's holder has written since. Without a write it does not count (limit: three). */
async function hasStarted(deployment: Deployment, title: string): Promise<true | undefined> {
  const { id = '' } = (await sessionOf(deployment, title)) ?? {};
  const { docs } = await deployment.database.collection(`sessions/${id}/executions`).get();
  const isStarted = docs.some(
    (one) => one.get('claims') > 0 && one.get('claims') === one.get('startedClaims'),
  );
  return isStarted || undefined;
}

/** A message that never reaches its service becomes a dead letter, which publishes it again. */
export async function recoversUndelivered(deployment: Deployment, title: string): Promise<void> {
  const frontEnd = frontEndOf(deployment, 'runIteration');
  let failures = attemptsOf(deployment);
  frontEnd.instead = async () => (failures-- > 0 ? 503 : undefined);
  try {
    const { status, calls, attempts } = await deadLetterOf(deployment, title);
    expect([status, calls]).toEqual(['completed', [...Array(attempts).fill(503), 204]]);
  } finally {
    frontEnd.instead = undefined;
  }
}

/** The deliveries after which the message of an iteration becomes a dead letter. */
const attemptsOf = ({ settings }: Deployment): number =>
  settings().subscriptions['iterations-push']?.dead_letters[0]?.attempts ?? expect.unreachable();

/** Publishes an alert whose iteration becomes a dead letter. @returns its session's end, call statuses. */
async function deadLetterOf(deployment: Deployment, title: string, attributes?: Record<string, string>) {
  const from = callCounts(deployment);
  const fault = refusals(deployment);
  await publishAlert(deployment, title, attributes);
  await untilDelivered(deployment, fault);
  if (callCounts(deployment).get('buryIteration') === from.get('buryIteration'))
    throw new Error('no dead letter reached buryIteration');
  const { id, status } = (await sessionOf(deployment, title)) ?? {};
  const calls = frontEndOf(deployment, 'runIteration').calls.filter(({ sessionId }) => sessionId === id);
  return { status, calls: calls.map((call) => call.status), attempts: attemptsOf(deployment) };
}

/** Simultaneous alerts, some refused by services' limits: each is investigated once, none is buried. */
export async function takesAll(deployment: Deployment, title: string, alerts: number): Promise<void> {
  const { clock, model, pending, database } = deployment;
  const ingest = frontEndOf(deployment, 'ingestAlert');
  const iterate = frontEndOf(deployment, 'runIteration');
  const from = callCounts(deployment);
  const refusals = (name: string, calls: Call[]) =>
    calls.slice(from.get(name)).filter(({ status }) => status === 429).length;
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const asked: string[] = [];
  // The model answers nobody before a refused call. Pub/Sub sends more each second: these seem slow.
  model.before = async (body) => {
    asked.push(new RegExp(`${title} \\d+`).exec(body)?.[0] ?? '');
    if (refusals('runIteration', iterate.calls) > 0) return release();
    clock.advance(1_000);
    await isReleased;
  };
  const titles = Array.from({ length: alerts }, (_, index) => `${title} ${index}`);
  await Promise.all(titles.map((each) => publishAlert(deployment, each)));
  await until(() => refusals('runIteration', iterate.calls) > 0 || undefined);
  release();
  await untilDelivered(deployment);
  model.before = undefined;

  expect(refusals('ingestAlert', ingest.calls)).toBeGreaterThan(0);
  const sessions = (await database.collection('sessions').select('parts.alert.title', 'status').get()).docs
    .filter((session) => titles.includes(session.get('parts.alert.title')))
    .map((session) => `${session.get('parts.alert.title')} ${session.get('status')}`);
  expect(sessions.sort()).toEqual(titles.map((each) => `${each} completed`).sort());
  expect(asked.sort()).toEqual([...titles].sort());
  expect([pending.pullable(), callCounts(deployment).get('buryIteration')]).toEqual([
    0,
    from.get('buryIteration'),
  ]);
}
