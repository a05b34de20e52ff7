// Sessions of many tenants with alerts, changes and calls, each value of a filter in a known share of them.

import { alertPart } from '../../shared/alerts/schema/alert.ts';
import { type AlertFate, alertFateType } from '../../shared/alerts/schema/alertFate.ts';
import { type Change, changeType } from '../../shared/changes/change.ts';
import { listChangeScopes } from '../../shared/changes/scopes.ts';
import { createDocument, type Store, type Write } from '../../shared/core/contract/store.ts';
import { deriveFields } from '../../shared/core/kernel/stageFeature.ts';
import { withPart } from '../../shared/core/schema/parts.ts';
import type { Session } from '../../shared/core/schema/session.ts';
import { verdictPart } from '../../shared/evidence/schema/verdict.ts';
import { alertKeyType } from '../../shared/kits/alerts/fates/alertKeyDocument.ts';
import { fateId } from '../../shared/kits/alerts/fates/fateId.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { STAGE_FEATURES } from '../../shared/lists/stageFeatures.ts';
import { sampleAlert, sampleAlertPart, sampleSession, sampleVerdict } from './samples.ts';
import type { TestClock } from './testClock.ts';

/** Writes of a commit. */
const BATCH = 300;
const DAY_MS = 24 * 3_600_000;

/** How many there are, and of how many tenants: `tenant-0`, `tenant-1` and so on. */
interface Amount {
  sessions: number;
  tenants: number;
  /** When the last one was opened; the first one a day before. */
  until: Date;
}

/** The amount of `npm run test:long`: INQUEST_SESSIONS, such as 100000, which takes hours on two cores. */
export const LONG_AMOUNT = { sessions: Number(process.env.INQUEST_SESSIONS ?? 20_000), tenants: 50 };

/** Each value of a filter that is not the common one: of every nth session of a tenant. */
const RARE = { status: 7, kind: 5, source: 4, severity: 6, chain: 9, verdict: 8, place: 11, word: 10 };

/** When the nth session was opened. */
export const openedAt = (n: number, { sessions, until }: Amount): Date =>
  new Date(until.getTime() - Math.floor(((sessions - n) / sessions) * DAY_MS));
/** When all of them may be deleted. */
const expiry = ({ until }: Amount): Date => new Date(until.getTime() + 30 * DAY_MS);
/** The tenant of the nth session. */
const findTenant = (n: number, { tenants }: Amount): string => `tenant-${n % tenants}`;
/** The id of the nth session. */
export const composeSessionId = (n: number): string => `2026-11-05-session-${String(n).padStart(6, '0')}`;

/** The nth session. */
function session(n: number, amount: Amount): Session {
  const own = Math.floor(n / amount.tenants);
  const isRare = (field: keyof typeof RARE) => own % RARE[field] === 0;
  const alert = sampleAlert({
    title: isRare('word') ? 'payments is down' : 'Disk full',
    source: isRare('source') ? 'grafana' : 'alertmanager',
    severity: isRare('severity') ? 'P1' : 'critical',
    identity: `identity-${n}`,
    summary: null,
    labels: { namespace: 'shop', service: isRare('place') ? 'web-7' : `service-${own % 40}` },
  });
  const verdict = isRare('verdict') ? 'inconclusive' : own % 2 === 0 ? 'likely' : null;
  return deriveFields(
    sampleSession({
      sessionId: composeSessionId(n),
      tenantId: findTenant(n, amount),
      status: isRare('status') ? 'failed' : 'completed',
      kind: isRare('kind') ? 'chat' : 'investigation',
      chain: { ...sampleSession().chain, name: isRare('chain') ? 'storage' : 'default' },
      ...withPart(verdictPart, sampleAlertPart(alert), sampleVerdict(verdict)),
      executiveSummary: 'The cause is known.',
      finalAnalysis: `The cause is number ${n}.`,
      createdAt: openedAt(n, amount),
      endedAt: new Date(openedAt(n, amount).getTime() + 60_000),
      expireAt: expiry(amount),
    }),
    undefined,
    { stageFeatures: STAGE_FEATURES },
  );
}

function fate(n: number, amount: Amount, { parts, sessionId }: Session): AlertFate {
  const own = Math.floor(n / amount.tenants);
  const { title = '', source = null } = (parts[alertPart.name] ?? {}) as { title?: string; source?: string };
  return {
    title,
    tenantId: findTenant(n, amount),
    messageId: `message-${n}`,
    source,
    severity: null,
    state: 'firing',
    outcome: own % RARE.status === 0 ? 'dropped' : 'opened',
    by: 'rule',
    subject: null,
    place: null,
    reason: 'a rule decided',
    problem: null,
    sessionId,
    at: openedAt(n, amount),
    expireAt: expiry(amount),
  };
}

function change(n: number, amount: Amount): Change {
  const own = Math.floor(n / amount.tenants);
  const resource = `k8s/prod/shop/deployment/${own % RARE.place === 0 ? 'web-7' : `service-${own % 40}`}`;
  const at = openedAt(n, amount);
  return {
    title: own % RARE.word === 0 ? 'payments 2.0' : 'A new image',
    tenantId: findTenant(n, amount),
    key: `change-${n}`,
    source: 'json',
    kind: own % RARE.kind === 0 ? 'flag' : 'deploy',
    status: 'done',
    resource,
    actor: null,
    before: null,
    after: null,
    url: null,
    at,
    receivedAt: at,
    scopes: listChangeScopes(resource).map((scope) => `${at.toISOString().slice(0, 10)}|${scope}`),
    rate: { count: 1, days: 30 },
    count: 1,
    expireAt: expiry(amount),
  };
}

/** The key of an alert with its fate, as of an alert that has a session. */
function alertKey(
  id: string,
  { sessionId, messageId, tenantId, problem, title, at, expireAt, ...one }: AlertFate,
) {
  const { source, severity, state, outcome, by, subject, place, reason } = one;
  return {
    ...{
      title,
      sessionId: sessionId ?? '',
      joined: null,
      counted: null,
      at,
      fateId: id,
      tenantId,
      messageId,
      problem,
    },
    fate: { source, severity, state, outcome, by, subject, place, reason },
    ...{ expireAt, createdAt: at },
  };
}

/** Stores them, with a fate of the alert, in its key for each second one, and a change for each. */
export async function storeSessions(
  amount: Amount,
  { store, clock }: { store: Pick<Store, 'commit'>; clock: TestClock },
): Promise<void> {
  let batch: Write[] = [];
  const commit = async () => {
    const result = await store.commit(batch);
    if (!result.ok) throw new Error(`sessions exist: ${result.reason}`);
    batch = [];
    // A Firestore with limits takes 500 writes a second.
    clock.advance(1_000);
  };
  for (let n = 0; n < amount.sessions; n++) {
    const one = session(n, amount);
    const id = fateId(one.tenantId, one.createdAt, String(n).padStart(12, '0'));
    batch.push(
      createDocument(paths.session(one.sessionId), sessionType, one),
      Math.floor(n / amount.tenants) % 2 === 0
        ? createDocument(alertFateType.paths.alertFate(id), alertFateType, fate(n, amount, one))
        : createDocument(
            alertKeyType.paths.alertKey(`key-${n}`),
            alertKeyType,
            alertKey(id, fate(n, amount, one)),
          ),
      createDocument(changeType.paths.change(`change-${n}`), changeType, change(n, amount)),
    );
    if (batch.length >= BATCH) await commit();
  }
  if (batch.length > 0) await commit();
}
