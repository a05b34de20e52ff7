// Compares a replay with its record, document by document. The first difference names the place.

import { isDeepStrictEqual } from 'node:util';
import type { Store } from '../core/contract/store.ts';
import type { DocumentType } from '../core/schema/documentType.ts';
import { readSessionClaims } from '../kits/claims/sessionClaims.ts';
import {
  executionType,
  interactionType,
  knowledgeType,
  messagePartType,
  messageType,
  paths,
  resultPartType,
  sessionType,
  stageType,
  timelineEventType,
} from '../lists/documents.ts';
import { sessionEntryKey } from '../search/sessionEntry.ts';

/** A difference between record and replay. */
export interface Difference {
  /** Path of the document and of the field in it. */
  place: string;
  recorded: unknown;
  replayed: unknown;
}

/** Fields that are measured, random or of the moment: equal documents can differ in them. */
const MEASURED = new Set([
  'createdAt',
  'updatedAt',
  'startedAt',
  'endedAt',
  'dueAt',
  'due',
  'deadline',
  'expireAt',
  'until',
  'at',
  'durationMs',
  'tokens',
  'tokensBefore',
  'cost',
  'costUsd',
  'requestBytes',
  'responseBytes',
  'masked',
  'attempts',
  'attemptTimes',
  'attemptErrors',
  'lease',
  'claims',
  'publishedIteration',
  'notBefore',
  'maskKey',
  'waitedUntil',
  'outage',
  'trigrams',
  'correlation',
  'alsoFiring',
  'notify',
  'traceparent',
  'embedding',
  'embeddingModel',
  'finishedExecutions',
  'messageCount',
  'repairedSignatures',
  'searchEntryPoint',
  // Which later sessions have seen an entry, and the reviews of people since.
  'shown',
  'trust',
  'reviews',
  'resolvedAt',
  'decidedAt',
  'childExecutionIds',
]);
/** Notices about people after the end, and about the moment: they are inputs, not results. */
const OUTSIDE = /^(?:work_|alert_|also_firing|outcome)/;

/**
 * Compares stages, executions, messages with blocks and the provider's own parts, timeline, calls of models,
 * bytes of results, ledger and verdict, the session, and its entry in the knowledge base.
 * @returns the first difference; undefined if there is none.
 */
export async function compareReplay(
  sessionId: string,
  recorded: Store,
  replayed: Store,
): Promise<Difference | undefined> {
  const below = `${paths.session(sessionId)}`;
  const stages = await recorded.list({ collection: `${below}/stages` }, stageType);
  // Calls that were repeated after the end are no part of the investigation.
  const probing = new Set(
    stages.flatMap(({ value: { kind, stageId } }) => (kind === 'probe' ? [stageId] : [])),
  );
  const both = async <T>(collection: string, type: DocumentType<T>, isCompared = (_: T) => true) => {
    const [one, other] = await Promise.all(
      [recorded, replayed].map(async (store) => {
        const found = await store.list({ collection }, type);
        return new Map(
          found.flatMap(({ id, value }) =>
            isCompared(value) && !probing.has(id.split('.')[0] ?? '')
              ? [[id, value as unknown] as const]
              : [],
          ),
        );
      }),
    );
    return firstDifference(one, other, collection);
  };
  const messages = await recorded.list({ collection: `${below}/messages` }, messageType);
  const parts = messages.filter(
    ({ value }) => value.blockDocuments + (value.providerParts?.partDocuments ?? 0) > 0,
  );
  const steps = [
    () => both(`${below}/stages`, stageType),
    () => both(`${below}/messages`, messageType),
    ...parts.map(
      ({ path }) =>
        () =>
          both(`${path}/parts`, messagePartType),
    ),
    () =>
      both(
        `${below}/timeline`,
        timelineEventType,
        (event) => !(event.eventType === 'notice' && OUTSIDE.test(event.metadata.code)),
      ),
    () => both(`${below}/results`, resultPartType),
    () => both(`${below}/interactions`, interactionType),
    () => both(`${below}/executions`, executionType),
    async () => {
      const [one, other] = await Promise.all(
        [recorded, replayed].map((store) => readPlainClaims(sessionId, store)),
      );
      return firstDifference(one, other, `${below}#claims`);
    },
    async () => {
      const [one, other] = await Promise.all(
        [recorded, replayed].map((store) => store.get(below, sessionType)),
      );
      return firstDifference(one?.value, other?.value, below);
    },
    async () => {
      const session = await recorded.get(below, sessionType);
      const path = paths.knowledgeEntry(session?.value.tenantId ?? '', sessionEntryKey(sessionId));
      const [one, other] = await Promise.all(
        [recorded, replayed].map((store) => store.get(path, knowledgeType)),
      );
      return one === undefined ? undefined : firstDifference(one.value, other?.value, path);
    },
  ];
  for (const step of steps) {
    const difference = await step();
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** Verdict and ledger, as plain values. */
export async function readPlainClaims(sessionId: string, store: Store): Promise<unknown> {
  const claims = await readSessionClaims(sessionId, store, new Date(0));
  return (
    claims && {
      verdict: claims.verdict,
      causes: claims.causes,
      ledgers: claims.executions.map(({ ledger, matches }) => ({
        hypotheses: [...ledger.hypotheses],
        evidence: [...ledger.evidence],
        matches: [...matches],
      })),
    }
  );
}

/** The first difference of two values, depth first, in the order of the recorded one. */
export function firstDifference(recorded: unknown, replayed: unknown, place: string): Difference | undefined {
  if (isDeepStrictEqual(recorded, replayed)) return undefined;
  // Times of commits are taken from the record as far as it has them.
  if (recorded instanceof Date && replayed instanceof Date) return undefined;
  const [one, other] = [toEntryMap(recorded), toEntryMap(replayed)];
  if (one === undefined || other === undefined) return { place, recorded, replayed };
  for (const key of new Set([...one.keys(), ...other.keys()])) {
    if (MEASURED.has(key)) continue;
    const [a, b] = [one.get(key), other.get(key)];
    const difference = firstDifference(a, b, `${place}/${key}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

function toEntryMap(value: unknown): Map<string, unknown> | undefined {
  if (value instanceof Map) return value;
  if (value === null || typeof value !== 'object' || value instanceof Date) return undefined;
  return new Map(Object.entries(value));
}
