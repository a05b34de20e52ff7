// The row of a session in a list, and the fields that it needs.

import * as z from 'zod';
import { locateAlertPlace } from '../../alerts/alertLocation.ts';
import { type ProblemSubject, problemSchema } from '../../alerts/problemState.ts';
import { createProblemReader } from '../../alerts/readProblem.ts';
import { ALERT_STATUSES } from '../../alerts/schema/alert.ts';
import type { RawDocument, RawDocuments } from '../../contract/rawDocuments.ts';
import type { Store } from '../../core/contract/store.ts';
import { isTerminal } from '../../core/schema/common.ts';
import { DEFAULT_TENANT, SESSION_STATUSES } from '../../core/schema/session.ts';
import {
  alertFields,
  alertIn,
  hasMap,
  numberAt,
  textAt,
  textIn,
  textsAt,
  textsInList,
  timeAt,
  VERDICT_FIELDS,
  verdictIn,
} from './fieldAt.ts';
import { alertReportsSchema, readReports } from './reports.ts';

/** The fields of a session that a list needs; the alert's text and the analysis are not read. */
export const ROW_FIELDS = [
  'status',
  'title',
  ...alertFields('title', 'severity', 'source', 'identity', 'status', 'labels'),
  'parts.correlation.keys.at',
  'chain.name',
  'parts.routing.by',
  'tenantId',
  'cost',
  'createdAt',
  'endedAt',
  'executiveSummary',
  'failure.code',
  'failure.message',
  'parts.rerun.of',
  'kind',
  'caveats',
  ...VERDICT_FIELDS,
  // Sessions of release 0.2.0, until they are migrated.
  'correlation.at',
  'routing.by',
  'rerunOf',
];

/** A session in a list. Fields that its document lacks, or that have a wrong type, are null. */
export const sessionRowSchema = z.strictObject({
  sessionId: z.string(),
  /** The generated title, else the title of the alert. */
  title: z.string().nullable(),
  /** As the alert words it. */
  severity: z.string().nullable(),
  source: z.string().nullable(),
  place: z
    .strictObject({
      workload: z.string().nullable(),
      namespace: z.string().nullable(),
      cluster: z.string().nullable(),
      project: z.string().nullable(),
    })
    .nullable()
    .describe('Where the problem is, from the labels of the alert'),
  /** Null for an alert without an identity, or if that was not read. */
  reports: alertReportsSchema.nullable(),
  /** Null without an alert. */
  problem: problemSchema.nullable(),
  status: z.enum(SESSION_STATUSES).or(z.string()).nullable(),
  chain: z.string().nullable(),
  /** ISO 8601, UTC. */
  createdAt: z.string().nullable(),
  /** ISO 8601, UTC; null until it has ended. */
  endedAt: z.string().nullable(),
  durationMs: z.number().nullable().describe('From opening to end, or to now'),
  /** US dollars, and the number of model calls whose price is unknown. */
  cost: z.strictObject({ usd: z.number().nullable(), unpricedCalls: z.number().nullable() }),
  executiveSummary: z.string().nullable().describe('The findings in a few lines'),
  failure: z
    .strictObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it ended without an analysis'),
  /** The session whose alert it repeats. */
  rerunOf: z.string().nullable(),
  kind: z.string().nullable().describe('`investigation`, `chat`, `check` or `fork`'),
  caveats: z.array(z.string()).describe('Why its analysis is limited: codes'),
  verdict: z.string().nullable().describe('The verdict on its claims; null if they were not checked'),
});
/** A session in a list. */
export type SessionRow = z.infer<typeof sessionRowSchema>;

/** The stored documents that rows are made of. */
export interface RowSources {
  /** Sessions and counts, with any contents. */
  documents: RawDocuments;
  /** Problems, and the sessions that reruns repeat. */
  store: Pick<Store, 'get' | 'listIds' | 'count'>;
}

/**
 * The rows of sessions with any contents, how often their alerts were reported, and the state of their
 * problems: two more reads for each session that can have further reports. `now` ends the duration of a
 * running session.
 * @throws RetryableError when the store fails.
 */
export async function sessionRows(
  found: readonly RawDocument[],
  { documents, store }: RowSources,
  now: Date,
): Promise<SessionRow[]> {
  const reports = await readReports(
    found.filter(mayBeReported).map(({ id }) => id),
    documents,
    store,
  );
  const readProblem = createProblemReader(store);
  const row = async (document: RawDocument): Promise<SessionRow> => {
    const counts = reports.get(document.id) ?? null;
    const { problem } = await readProblem(subjectIn(document), counts);
    return { ...readSessionRow(document, now), reports: counts, problem };
  };
  return Promise.all(found.map(row));
}

function subjectIn({ id, fields }: RawDocument): ProblemSubject {
  const alert = alertIn(fields);
  const source = textAt(alert, 'source');
  const status = textAt(alert, 'status');
  const createdAt = timeAt(fields, 'createdAt');
  return {
    sessionId: id,
    tenantId: textAt(fields, 'tenantId') ?? DEFAULT_TENANT,
    rerunOf: textIn(fields, ['parts', 'rerun', 'of'], ['rerunOf']),
    alert:
      source === null
        ? null
        : {
            source,
            identity: textAt(alert, 'identity'),
            status: ALERT_STATUSES.find((one) => one === status) ?? 'unknown',
          },
    namedChain:
      textIn(fields, ['parts', 'routing', 'by'], ['routing', 'by']) === 'message'
        ? textAt(fields, 'chain', 'name')
        : null,
    createdAt: createdAt === null ? null : new Date(createdAt),
  };
}

/** Whether a session can have further reports of its alert, or other alerts that joined it. */
function mayBeReported({ fields }: RawDocument): boolean {
  return (
    textAt(alertIn(fields), 'identity') !== null ||
    hasMap(fields, ['parts', 'correlation', 'keys'], ['correlation'])
  );
}

function readSessionRow({ id, fields }: RawDocument, now: Date): SessionRow {
  const status = textAt(fields, 'status');
  const code = textAt(fields, 'failure', 'code');
  const alert = alertIn(fields);
  const source = textAt(alert, 'source');
  const createdAt = timeAt(fields, 'createdAt');
  const endedAt = timeAt(fields, 'endedAt');
  const runs = status !== null && !isTerminal(status) && status !== 'deferred';
  const until = endedAt ?? (runs ? now.toISOString() : null);
  const durationMs = createdAt === null || until === null ? null : Date.parse(until) - Date.parse(createdAt);
  return {
    sessionId: id,
    title: textAt(fields, 'title') ?? textAt(alert, 'title'),
    severity: textAt(alert, 'severity'),
    source,
    place: source === null ? null : locateAlertPlace({ source, labels: textsAt(alert, 'labels') }),
    reports: null,
    problem: null,
    status,
    chain: textAt(fields, 'chain', 'name'),
    createdAt,
    endedAt,
    durationMs,
    cost: {
      usd: numberAt(fields, 'cost', 'usd'),
      unpricedCalls: numberAt(fields, 'cost', 'unpricedCalls'),
    },
    executiveSummary: textAt(fields, 'executiveSummary'),
    failure: code === null ? null : { code, message: textAt(fields, 'failure', 'message') ?? '' },
    rerunOf: textIn(fields, ['parts', 'rerun', 'of'], ['rerunOf']),
    kind: textAt(fields, 'kind'),
    caveats: [...new Set(textsInList(fields, ['caveats'], 'code'))],
    verdict: verdictIn(fields),
  };
}
