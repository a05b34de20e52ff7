// A target of a listener: a query or documents, and the state that its client knows.

import type { Message } from '../../protocol/protoFiles.ts';
import type { StoredDocument } from '../engine/documentStore.ts';
import type { Commit, Engine, Snapshot } from '../engine/engine.ts';
import type { Planner } from '../indexes/planner.ts';
import { parseQuery, type Query, type StructuredQuery } from '../query/query.ts';
import { matchesQuery, projected, runQuery } from '../query/runQuery.ts';
import { documentMessage } from '../rpcs/messages.ts';
import { invalid } from '../values/errors.ts';
import { documentWireName, parseDocumentName } from '../values/names.ts';
import { type Micros, toTimestamp } from '../values/time.ts';

/** A target on the wire. */
export interface TargetMessage {
  /** 1 when absent. */
  targetId?: number;
  /** The query of a query target. */
  query?: { parent?: string; structuredQuery?: StructuredQuery };
  /** The names of a document target. */
  documents?: { documents?: string[] };
  /** Resumes after an earlier response. */
  resumeToken?: Buffer;
  /** Starts with the changes after a time. */
  readTime?: object;
}

/** The documents of a target: how to find them, and which commits affect them. */
interface Interest {
  /** The results at a snapshot, in the order of the query. */
  results(snapshot: Snapshot): StoredDocument[];
  /** Whether a document is a result; undefined when that depends on other documents. */
  includes: ((document: StoredDocument) => boolean) | undefined;
  /** Whether a document can be a result. */
  concerns(document: StoredDocument): boolean;
  /** The document with only the fields that the query selects. */
  project(document: StoredDocument): StoredDocument;
  /** Names of documents whose absence is reported. */
  named: string[];
}

/** An active target. */
export interface Target {
  /**
   * The responses that bring the client to a snapshot.
   * @param since the time up to which the client has all changes; undefined for a new client.
   */
  start(snapshot: Snapshot, since: Micros | undefined): Message[];
  /** The responses for a commit. */
  update(commit: Commit): Message[];
}

/**
 * @throws StatusError INVALID_ARGUMENT when the message has neither a valid query nor valid documents,
 *   FAILED_PRECONDITION when its query has no index.
 */
export function createTarget(engine: Engine, planner: Planner, id: number, message: TargetMessage): Target {
  const interest = parseInterest(planner, message);
  /** The results that the client knows, with their update times. */
  let known = new Map<string, Micros>();

  const changed = (document: StoredDocument): Message => ({
    documentChange: { document: documentMessage(interest.project(document)), targetIds: [id] },
  });
  const gone = (name: string, time: Micros, exists: boolean): Message => {
    const body = { document: name, removedTargetIds: [id], readTime: toTimestamp(time) };
    return exists ? { documentRemove: body } : { documentDelete: body };
  };
  /** Replaces the known results, and returns the responses for the differences. */
  const replaceKnown = (
    results: StoredDocument[],
    time: Micros,
    exists: (name: string) => boolean,
  ): Message[] => {
    const before = known;
    known = new Map(results.map((document) => [documentWireName(document), document.updateTime]));
    const left = [...before.keys()].filter((name) => !known.has(name));
    const news = results.filter((document) => before.get(documentWireName(document)) !== document.updateTime);
    return [...left.map((name) => gone(name, time, exists(name))), ...news.map(changed)];
  };
  const existsIn = (snapshot: Snapshot) => (name: string) =>
    snapshot.get(parseDocumentName(name)) !== undefined;

  return {
    start(snapshot, since) {
      const results = interest.results(snapshot);
      const absent = interest.named.filter(
        (name) => !results.some((found) => documentWireName(found) === name),
      );
      const absences = absent.map((name) => gone(name, snapshot.time, false));
      if (since === undefined) return [...replaceKnown(results, snapshot.time, () => true), ...absences];
      if (engine.journal.since(since) !== undefined) {
        const past = interest.results(engine.snapshot(since));
        known = new Map(past.map((document) => [documentWireName(document), document.updateTime]));
        return [...replaceKnown(results, snapshot.time, existsIn(snapshot)), ...absences];
      }
      // Older than the journal: the client compares the count and restarts when it differs.
      known = new Map(results.map((document) => [documentWireName(document), document.updateTime]));
      const isWindow = interest.includes === undefined;
      const news = isWindow ? results : results.filter(({ updateTime }) => updateTime > since);
      if (isWindow)
        return [{ targetChange: { targetChangeType: 'RESET', targetIds: [id] } }, ...news.map(changed)];
      return [...news.map(changed), ...absences, { filter: { targetId: id, count: results.length } }];
    },

    update({ time, changes }) {
      const { includes, concerns } = interest;
      const mine = changes.filter(({ before, after }) =>
        [before, after].some((state) => state && concerns(state)),
      );
      if (mine.length === 0) return [];
      if (includes === undefined) {
        const snapshot = engine.snapshot();
        return replaceKnown(interest.results(snapshot), time, existsIn(snapshot));
      }
      return mine.flatMap(({ key, after }) => {
        const name = documentWireName(key);
        if (after !== undefined && includes(after)) {
          known.set(name, after.updateTime);
          return [changed(after)];
        }
        return known.delete(name) ? [gone(name, time, after !== undefined)] : [];
      });
    },
  };
}

function parseInterest(planner: Planner, { query, documents }: TargetMessage): Interest {
  if (query != null) {
    const parsed = parseQuery(query.parent, query.structuredQuery);
    planner.plan(parsed);
    return queryInterest(parsed);
  }
  if (documents == null) throw invalid('Target type is not set.');
  const keys = (documents.documents ?? []).map((name) => parseDocumentName(name));
  const named = keys.map(documentWireName);
  const includes = (document: StoredDocument) => named.includes(documentWireName(document));
  return {
    results: (snapshot) => keys.map((key) => snapshot.get(key)).filter((found) => found !== undefined),
    includes,
    concerns: includes,
    project: (document) => document,
    named,
  };
}

function queryInterest(query: Query): Interest {
  const isWindow = query.limit !== undefined || query.offset > 0 || query.findNearest !== undefined;
  const concerns = (document: StoredDocument) => matchesQuery(query, document);
  return {
    results: (snapshot) => runQuery(snapshot, query),
    includes: isWindow ? undefined : concerns,
    concerns,
    project: (document) => projected(query, document),
    named: [],
  };
}
