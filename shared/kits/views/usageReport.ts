// Sums the stored usage of sessions by day, chain, agent, model or tool.

import * as z from 'zod';
import { listAllDocuments, type RawDocument, type RawDocuments } from '../../contract/rawDocuments.ts';
import { addTokens, NO_TOKENS, type TokenUsage, tokenUsageSchema } from '../../core/schema/common.ts';
import {
  executionType,
  interactionType,
  paths,
  sessionType,
  timelineEventType,
} from '../../core/schema/coreDocuments.ts';
import { addCosts, type Cost, costSchema, NO_COST } from '../../core/schema/cost.ts';
import type { DocumentType } from '../../core/schema/documentType.ts';
import { type Unreadable, unreadableSchema } from '../../core/schema/readable.ts';
import { numberAt, textAt, timeAt } from './fieldAt.ts';
import { listSessions } from './listSessions.ts';
import { partialFault, VERSION_FIELD } from './partialFault.ts';

/** The groupings of a usage report. */
export const USAGE_GROUPINGS = ['day', 'chain', 'agent', 'model', 'tool'] as const;
type UsageGrouping = (typeof USAGE_GROUPINGS)[number];

/** A page of a usage report: one row for each key. */
export const usagePageSchema = z.strictObject({
  usage: z.array(
    z.strictObject({
      key: z.string().describe('The day in UTC, or the name'),
      sessions: z.int().describe('Number of sessions that have it'),
      count: z.int().describe('Sessions, runs of the agent, calls of the model or the tool'),
      failed: z.int().describe('Of `count`: those that failed or ran out of time; results that are errors'),
      durationMs: z.number().nullable().describe('Total milliseconds of those that have ended'),
      durations: z
        .array(z.strictObject({ upToMs: z.int(), count: z.int() }))
        .describe('How many of them took how long, in ranges that each end a quarter above the one before'),
      tokens: tokenUsageSchema.nullable().describe('Null for tools'),
      cost: costSchema.nullable().describe('With `unpricedCalls`, `usd` is a minimum'),
    }),
  ),
  sessions: z.int().describe('Number of sessions that this page covers'),
  /** As far as version and name show it: the first 100 of the page. */
  unreadable: unreadableSchema,
  since: z.date(),
  next: z.string().nullable().describe('Value for `after`; null on the last page'),
});
type UsagePage = z.infer<typeof usagePageSchema>;
type UsageRow = UsagePage['usage'][number];

type Item = Omit<UsageRow, 'sessions' | 'count' | 'failed' | 'durations'> & { isFailed: boolean };

/** Sessions of one page: without, and with, other documents of the sessions. */
const MAX_SESSIONS = 2_000;
const MAX_READ_INTO = 100;
/** Sessions whose documents are read concurrently. */
const AT_ONCE = 10;
/** The most unreadable documents that a page names. */
const MAX_NAMED = 100;

const TOKENS = ['tokens.input', 'tokens.output', 'tokens.thinking', 'tokens.cached', 'tokens.total'];
const COST = ['cost.usd', 'cost.unpricedCalls'];

/** Defines how the items of a grouping are read. */
interface Source {
  /** The collection below a session. Default: the session itself. */
  collection?: (sessionId: string) => string;
  /** The fields to read. */
  fields: string[];
  /** The type whose version decides whether a document can be read. */
  type: Pick<DocumentType<unknown>, 'name' | 'version' | 'oldest'>;
  /** The field that contains a text in every document. */
  text: string;
  /** Undefined for a document that does not belong to the grouping. */
  itemOf(document: RawDocument): Item | undefined;
}

const SOURCES: Record<UsageGrouping, Source> = {
  day: ofSessions(({ fields }) => timeAt(fields, 'createdAt')?.slice(0, 10)),
  chain: ofSessions(({ fields }) => textAt(fields, 'chain', 'name') ?? undefined),
  agent: {
    collection: paths.executions,
    type: executionType,
    text: 'agentName',
    fields: ['agentName', 'status', 'startedAt', 'endedAt', ...TOKENS, ...COST],
    itemOf: ({ fields }) => ({
      key: textAt(fields, 'agentName') ?? '',
      isFailed: !['completed', 'pending', 'active', 'waiting'].includes(textAt(fields, 'status') ?? ''),
      durationMs: durationBetween(timeAt(fields, 'startedAt'), timeAt(fields, 'endedAt')),
      tokens: tokensAt(fields),
      cost: costAt(fields),
    }),
  },
  model: {
    collection: paths.interactions,
    type: interactionType,
    text: 'model',
    fields: ['model', 'failure', 'durationMs', 'costUsd', ...TOKENS],
    itemOf: ({ fields }) => {
      const usd = numberAt(fields, 'costUsd');
      return {
        key: textAt(fields, 'model') ?? '',
        isFailed: fields.get('failure') instanceof Map,
        durationMs: numberAt(fields, 'durationMs'),
        tokens: tokensAt(fields),
        cost: { usd: usd ?? 0, unpricedCalls: usd === null ? 1 : 0 },
      };
    },
  },
  tool: {
    collection: paths.timeline,
    type: timelineEventType,
    text: 'eventType',
    fields: ['eventType', 'metadata.toolName', 'metadata.isError', 'metadata.durationMs'],
    itemOf: ({ fields }) => {
      if (textAt(fields, 'eventType') !== 'tool_result') return undefined;
      const metadata = fields.get('metadata');
      return {
        key: textAt(fields, 'metadata', 'toolName') ?? '',
        isFailed: metadata instanceof Map && metadata.get('isError') === true,
        durationMs: numberAt(fields, 'metadata', 'durationMs'),
        tokens: null,
        cost: null,
      };
    },
  },
};

/**
 * Sums the usage of a tenant's sessions that were opened since a time, the newest first: of 2,000 sessions,
 * or of 100 where other documents than the sessions are read.
 * @param after `next` of the previous page.
 * @returns undefined for an `after` that belongs to no such page.
 * @throws RetryableError when the store fails.
 */
export async function reportUsage(
  { by, since, after }: { by: UsageGrouping; since: Date; after?: string | undefined },
  tenantId: string,
  documents: RawDocuments,
): Promise<UsagePage | undefined> {
  const { collection, fields: own, itemOf, type, text } = SOURCES[by];
  const fields = [...own, VERSION_FIELD];
  const request = {
    filter: { since },
    after,
    limit: collection === undefined ? MAX_SESSIONS : MAX_READ_INTO,
    fields: collection === undefined ? fields : [],
  };
  const page = await listSessions(request, tenantId, documents);
  if (page === undefined) return undefined;
  const rows = new Map<string, UsageRow>();
  const unreadable: Unreadable[] = [];
  for (let from = 0; from < page.found.length; from += AT_ONCE) {
    const sessions = page.found.slice(from, from + AT_ONCE);
    const read = await Promise.all(
      sessions.map((session) =>
        collection === undefined ? [session] : listAllDocuments(collection(session.id), fields, documents),
      ),
    );
    for (const found of read) {
      addSession(rows, found.map(itemOf));
      const room = MAX_NAMED - unreadable.length;
      unreadable.push(...found.flatMap((one) => partialFault(one, type, text) ?? []).slice(0, room));
    }
  }
  const sorted = [...rows.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
  return { usage: sorted, sessions: page.found.length, unreadable, since, next: page.next };
}

/** Groups by a field of the session itself. */
function ofSessions(keyOf: (session: RawDocument) => string | undefined): Source {
  return {
    type: sessionType,
    text: 'status',
    fields: ['status', 'createdAt', 'endedAt', 'chain.name', ...TOKENS, ...COST],
    itemOf: (session) => {
      const { fields } = session;
      return {
        key: keyOf(session) ?? '',
        isFailed: ['failed', 'timed_out'].includes(textAt(fields, 'status') ?? ''),
        durationMs: durationBetween(timeAt(fields, 'createdAt'), timeAt(fields, 'endedAt')),
        tokens: tokensAt(fields),
        cost: costAt(fields),
      };
    },
  };
}

function addSession(rows: Map<string, UsageRow>, items: (Item | undefined)[]): void {
  const seen = new Set<string>();
  for (const item of items) {
    if (item === undefined || item.key === '') continue;
    const { key, isFailed, durationMs, tokens, cost } = item;
    const row = rows.get(key) ?? {
      key,
      sessions: 0,
      count: 0,
      failed: 0,
      durationMs: null,
      durations: [],
      tokens: null,
      cost: null,
    };
    rows.set(key, {
      key,
      sessions: row.sessions + (seen.has(key) ? 0 : 1),
      count: row.count + 1,
      failed: row.failed + (isFailed ? 1 : 0),
      durationMs: durationMs === null ? row.durationMs : (row.durationMs ?? 0) + durationMs,
      durations: durationMs === null ? row.durations : addDuration(row.durations, durationMs),
      tokens: tokens === null ? row.tokens : addTokens(row.tokens ?? NO_TOKENS, tokens),
      cost: cost === null ? row.cost : addCosts(row.cost ?? NO_COST, cost),
    });
    seen.add(key);
  }
}

/** The ranges of durations: each ends a quarter above the one before. */
const FIRST_RANGE_MS = 100;
const RANGE_FACTOR = 1.25;

function addDuration(durations: UsageRow['durations'], ms: number): UsageRow['durations'] {
  const power = Math.max(0, Math.ceil(Math.log(ms / FIRST_RANGE_MS) / Math.log(RANGE_FACTOR)));
  const upToMs = Math.round(FIRST_RANGE_MS * RANGE_FACTOR ** power);
  const known = durations.find((one) => one.upToMs === upToMs);
  const others = durations.filter((one) => one !== known);
  return [...others, { upToMs, count: (known?.count ?? 0) + 1 }].sort((a, b) => a.upToMs - b.upToMs);
}

function tokensAt(fields: RawDocument['fields']): TokenUsage | null {
  const at = (name: string) => numberAt(fields, 'tokens', name) ?? 0;
  if (!(fields.get('tokens') instanceof Map)) return null;
  return {
    input: at('input'),
    output: at('output'),
    thinking: at('thinking'),
    cached: at('cached'),
    total: at('total'),
  };
}

function costAt(fields: RawDocument['fields']): Cost | null {
  if (!(fields.get('cost') instanceof Map)) return null;
  const at = (name: string) => numberAt(fields, 'cost', name) ?? 0;
  return { usd: at('usd'), unpricedCalls: at('unpricedCalls') };
}

function durationBetween(from: string | null, to: string | null): number | null {
  return from === null || to === null ? null : Date.parse(to) - Date.parse(from);
}
