// Recent changes in memory, for reads in the past, transactions and resumed listeners.

import type { DocumentKey } from '../values/names.ts';
import { documentWireName } from '../values/names.ts';
import type { Micros } from '../values/time.ts';
import type { StoredRow } from './documentStore.ts';

/** One document before and after a commit. Undefined where it does not exist. */
export interface Change {
  /** The document. */
  key: DocumentKey;
  /** Its state before the commit. */
  before: StoredRow | undefined;
  /** Its state after the commit. */
  after: StoredRow | undefined;
}

/** The maximum age of a transaction (https://firebase.google.com/docs/firestore/quotas: 270 s). */
const MAX_AGE: Micros = 270e6;
/** Maximum size of all states before and after changes. Older changes are dropped. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Estimated memory of a change besides the states. */
const CHANGE_BYTES = 500;

/** Recent changes of all databases. */
export interface Journal {
  /** Adds the changes of a commit, and drops old ones. */
  append(time: Micros, changes: Change[]): void;
  /**
   * The changes after `time`, each with the old and the current document, by document name. Undefined when
   * `time` is earlier than the whole journal.
   */
  since(time: Micros): Map<string, Change> | undefined;
}

/** An empty journal. @param start it has every commit after this time. */
export function createJournal(start: Micros): Journal {
  const entries: { time: Micros; change: Change }[] = [];
  let knownSince = start;
  let bytes = 0;

  const forget = (now: Micros): void => {
    let count = 0;
    for (const { time, change } of entries) {
      if (time >= now - MAX_AGE && bytes <= MAX_BYTES) break;
      bytes -= countChangeBytes(change);
      knownSince = time;
      count += 1;
    }
    entries.splice(0, count);
  };

  return {
    append(time, changes) {
      for (const change of changes) {
        entries.push({ time, change });
        bytes += countChangeBytes(change);
      }
      forget(time);
    },
    since(time) {
      if (time < knownSince) return undefined;
      const changed = new Map<string, Change>();
      for (let index = entries.length - 1; index >= 0; index--) {
        const entry = entries[index];
        if (entry === undefined || entry.time <= time) break;
        const { change } = entry;
        const name = documentWireName(change.key);
        const later = changed.get(name);
        changed.set(name, later === undefined ? change : { ...change, after: later.after });
      }
      return changed;
    },
  };
}

const countChangeBytes = ({ before, after }: Change): number =>
  CHANGE_BYTES + (before?.data.length ?? 0) + (after?.data.length ?? 0);
