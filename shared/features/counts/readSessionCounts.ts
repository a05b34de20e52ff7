// Reads the rows that an ended session adds to the counts of its tenant and day, from its documents.

import { listAllDocuments, type RawDocument, type RawDocuments } from '../../contract/rawDocuments.ts';
import { paths } from '../../core/schema/coreDocuments.ts';
import { countReview, countScore, type ReviewedSession } from '../../evidence/calibration.ts';
import { addRows, type CountRow } from '../../evidence/countRow.ts';
import { outcomeType } from '../../kits/alerts/outcome.ts';
import { type Counts, USAGE_GROUPINGS, type UsageGrouping } from '../../kits/counts/count.ts';
import { sessionScoreType } from '../../kits/judge/sessionScore.ts';
import { tenantIn } from '../../kits/tenants/ownership.ts';
import { numberAt, textAt, timeAt, VERDICT_FIELDS, verdictIn } from '../../kits/views/fieldAt.ts';
import { listNewestRatings } from '../../kits/views/newestRatings.ts';
import { workType } from '../../kits/work/work.ts';

/** The most keys of a session in a grouping: a model can call tools that do not exist. */
const MAX_KEYS = 50;
/** The longest key, in characters: names are shorter. */
const MAX_KEY_CHARACTERS = 200;
/** The ranges of durations: each ends a quarter above the one before. */
const FIRST_RANGE_MS = 100;
const RANGE_FACTOR = 1.25;

const TOKENS = ['input', 'output', 'thinking', 'cached', 'total'];
const USED = [...TOKENS.map((name) => `tokens.${name}`), 'cost.usd', 'cost.unpricedCalls'];
const SESSION_FIELDS = [
  'tenantId',
  'kind',
  'status',
  'createdAt',
  'endedAt',
  'chain.name',
  ...USED,
  ...VERDICT_FIELDS,
];
const WORK_FIELDS = ['by', 'number', 'review.rating'];

/** The rows of a session. */
export interface SessionCounts {
  tenantId: string;
  /** The day on which it was opened. */
  day: string;
  counts: Counts;
}

/**
 * The counts of a session, as far as its documents can be read; undefined if there is no such session.
 * @throws RetryableError when the store fails.
 */
export async function readSessionCounts(
  sessionId: string,
  documents: RawDocuments,
): Promise<SessionCounts | undefined> {
  const read = (collection: string, fields: string[]) => listAllDocuments(collection, fields, documents);
  const [sessions, executions, calls, events, work, outcomes, scores] = await Promise.all([
    documents.getMany([paths.session(sessionId)], SESSION_FIELDS),
    read(paths.executions(sessionId), ['agentName', 'status', 'startedAt', 'endedAt', ...USED]),
    read(paths.interactions(sessionId), ['model', 'failure', 'durationMs', 'costUsd', ...USED]),
    read(paths.timeline(sessionId), [
      'eventType',
      'metadata.toolName',
      'metadata.isError',
      'metadata.durationMs',
    ]),
    read(workType.paths.allWork(sessionId), WORK_FIELDS),
    documents.getMany([outcomeType.paths.outcome(sessionId)], ['value']),
    documents.getMany([sessionScoreType.paths.score(sessionId)], ['total', 'rubric', 'model', 'createdAt']),
  ]);
  const [session] = sessions;
  const createdAt = session && timeAt(session.fields, 'createdAt');
  const tenantId = session && tenantIn(Object.fromEntries(session.fields));
  if (session === undefined || createdAt == null || tenantId === undefined) return undefined;
  const day = createdAt.slice(0, 10);
  const chain = textAt(session.fields, 'chain', 'name');
  const items: Record<UsageGrouping, (CountRow | undefined)[]> = {
    day: [countedSession(day, session)],
    chain: [countedSession(chain, session)],
    agent: executions.map(countedExecution),
    model: calls.map(countedCall),
    tool: events.map(countedResult),
  };
  const given = listNewestRatings(work);
  const countRatings = (rating: string) => given.filter((one) => one === rating).length;
  const reviewed: ReviewedSession = {
    chain,
    models: [...new Set(calls.flatMap(({ fields }) => textAt(fields, 'model') ?? []))].sort(),
    verdict: verdictIn(session.fields),
    ...{ right: countRatings('right'), partly: countRatings('partly'), wrong: countRatings('wrong') },
    outcome: outcomes[0] === undefined ? null : textAt(outcomes[0].fields, 'value'),
    score: scores[0] === undefined ? null : scoreIn(scores[0]),
  };
  // A fork can know more than its alert, so that it calibrates nothing.
  const isFork = textAt(session.fields, 'kind') === 'fork';
  const usage = USAGE_GROUPINGS.map((by) => [by, sumItems(items[by])] as const);
  const counts: Counts = {
    ...Object.fromEntries(usage),
    review: isFork ? [] : countReview(reviewed),
    score: isFork ? [] : countScore(reviewed),
  };
  return { tenantId, day, counts };
}

/** One row for each key, with the session. */
function sumItems(items: readonly (CountRow | undefined)[]): CountRow[] {
  const named = items.flatMap((item) => (item === undefined || item.key === '' ? [] : [item]));
  return addRows([], named, MAX_KEYS).map(({ key, sums }) => ({ key, sums: { ...sums, sessions: 1 } }));
}

const countedSession = (key: string | null, { fields }: RawDocument): CountRow =>
  countRow(key, {
    isFailed: ['failed', 'timed_out'].includes(textAt(fields, 'status') ?? ''),
    durationMs: durationBetween(timeAt(fields, 'createdAt'), timeAt(fields, 'endedAt')),
    used: usedIn(fields),
  });

const countedExecution = ({ fields }: RawDocument): CountRow =>
  countRow(textAt(fields, 'agentName'), {
    isFailed: !['completed', 'pending', 'active', 'waiting'].includes(textAt(fields, 'status') ?? ''),
    durationMs: durationBetween(timeAt(fields, 'startedAt'), timeAt(fields, 'endedAt')),
    used: usedIn(fields),
  });

function countedCall({ fields }: RawDocument): CountRow {
  const usd = numberAt(fields, 'costUsd');
  return countRow(textAt(fields, 'model'), {
    isFailed: fields.get('failure') instanceof Map,
    durationMs: numberAt(fields, 'durationMs'),
    used: { ...usedIn(fields), usd: usd ?? 0, unpricedCalls: usd === null ? 1 : 0 },
  });
}

function countedResult({ fields }: RawDocument): CountRow | undefined {
  if (textAt(fields, 'eventType') !== 'tool_result') return undefined;
  const metadata = fields.get('metadata');
  return countRow(textAt(fields, 'metadata', 'toolName'), {
    isFailed: metadata instanceof Map && metadata.get('isError') === true,
    durationMs: numberAt(fields, 'metadata', 'durationMs'),
    used: {},
  });
}

interface Counted {
  isFailed: boolean;
  /** Null while it runs. */
  durationMs: number | null;
  used: Record<string, number>;
}

function countRow(key: string | null, { isFailed, durationMs, used }: Counted): CountRow {
  const times = durationMs === null ? {} : { durationMs, [`upTo${endOfRange(durationMs)}`]: 1 };
  return {
    key: (key ?? '').slice(0, MAX_KEY_CHARACTERS),
    sums: { count: 1, failed: isFailed ? 1 : 0, ...times, ...used },
  };
}

function endOfRange(ms: number): number {
  const power = Math.max(0, Math.ceil(Math.log(ms / FIRST_RANGE_MS) / Math.log(RANGE_FACTOR)));
  return Math.round(FIRST_RANGE_MS * RANGE_FACTOR ** power);
}

/** Tokens and cost of a document that has them. */
function usedIn(fields: RawDocument['fields']): Record<string, number> {
  const read = (map: string, names: readonly string[]) =>
    fields.get(map) instanceof Map ? names.map((name) => [name, numberAt(fields, map, name) ?? 0]) : [];
  return Object.fromEntries([...read('tokens', TOKENS), ...read('cost', ['usd', 'unpricedCalls'])]);
}

function scoreIn({ fields }: RawDocument): ReviewedSession['score'] {
  const [total, rubric] = [numberAt(fields, 'total'), numberAt(fields, 'rubric')];
  const [model, at] = [textAt(fields, 'model'), timeAt(fields, 'createdAt')];
  return total === null || rubric === null || model === null || at === null
    ? null
    : { total, rubric, model, at };
}

function durationBetween(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Date.parse(to) - Date.parse(from);
}
