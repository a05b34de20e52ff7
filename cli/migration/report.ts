// Shows a migration to people: progress while it runs, a table at the end.

import { printable } from '../print/printer.ts';
import type { Tally } from './migrate.ts';

/** Moves to the start of the line and empties it. */
const REWRITE = '\r\u001b[2K';

/** Shows how far a migration came. */
export interface Progress {
  /** Call it with every tally. */
  show(tally: Tally): void;
  /** Leaves the line that is being rewritten, if there is one. Call it before anything else is written. */
  end(): void;
}

/**
 * A line per collection: on a terminal it is rewritten as documents are done; anywhere else a new one is written
 * at each tenth of them.
 */
export function progressPrinter(write: (text: string) => void, isTerminal: boolean): Progress {
  let open = false;
  let shown = '';
  return {
    show(tally) {
      const { collection, complete } = tally;
      if (isTerminal) {
        write(`${REWRITE}${progressLine(tally)}${complete ? '\n' : ''}`);
        open = !complete;
        return;
      }
      const tenth = Math.floor((10 * doneOf(tally)) / Math.max(1, tally.total));
      // The last tenth is the line of the end.
      if (!complete && (tenth === 0 || tenth >= 10 || `${collection} ${tenth}` === shown)) return;
      shown = `${collection} ${tenth}`;
      write(`${progressLine(tally)}\n`);
    },
    end() {
      if (open) write('\n');
      open = false;
    },
  };
}

function progressLine(tally: Tally): string {
  const { collection, version, total, complete } = tally;
  const done = doneOf(tally);
  if (complete && done === 0) return `${collection}: nothing older than version ${version}`;
  return `${collection}: ${done} of ${Math.max(done, total)}`;
}

/** The table of what became of each collection, why documents failed, and what is left for the next run. */
export function summaryLines(tallies: Tally[], dryRun: boolean): string[] {
  const heads = ['', dryRun ? 'would migrate' : 'migrated', 'left', 'failed'];
  const rows = tallies.map((tally) => [
    tally.collection,
    ...[tally.migrated, leftOf(tally), tally.failed].map(String),
  ]);
  const table = [heads, ...rows];
  const widths = heads.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  '),
  );
  return [...lines, ...tallies.flatMap(failureLines), ...leftLines(tallies)];
}

function failureLines({ collection, failed, failures }: Tally): string[] {
  const lines = failures.map(({ path, reason }) =>
    printable(reason.startsWith(path) ? `failed: ${reason}` : `failed: ${path}: ${reason}`),
  );
  const more = failed - failures.length;
  return more > 0 ? [...lines, `failed: ${more} more in ${collection}`] : lines;
}

function leftLines(tallies: Tally[]): string[] {
  const sum = (count: (tally: Tally) => number) => tallies.reduce((total, tally) => total + count(tally), 0);
  const kinds = [
    [sum((tally) => tally.inWork), 'in work'],
    [sum((tally) => tally.changed), 'changed meanwhile'],
    [sum(notReached), 'not reached'],
  ] as const;
  const left = kinds.filter(([count]) => count > 0).map(([count, kind]) => `${count} ${kind}`);
  return left.length === 0 ? [] : [`left: ${left.join(', ')}; the next run goes on with them`];
}

const doneOf = ({ migrated, inWork, changed, failed }: Tally): number => migrated + inWork + changed + failed;

const leftOf = (tally: Tally): number => tally.inWork + tally.changed + notReached(tally);

/** Only where it was stopped: those a finished run did not meet, another process migrated. */
const notReached = (tally: Tally): number => (tally.complete ? 0 : Math.max(0, tally.total - doneOf(tally)));
