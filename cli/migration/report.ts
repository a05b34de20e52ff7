// Prints the progress of a migration and a table of its results.

import { createProgressLine } from '../print/progressLine.ts';
import { printableText } from '../process/output.ts';
import type { Tally } from './migrate.ts';

/** Prints the progress of a migration. */
interface Progress {
  /** Call it with every tally. */
  show(tally: Tally): void;
  /** Ends the line that is being rewritten, if any. Call it before writing other output. */
  end(): void;
}

/**
 * Prints a line per collection. A terminal rewrites the line as documents are migrated; other outputs get a
 * new line at each tenth of them.
 */
export function progressPrinter(write: (text: string) => void, isTerminal: boolean): Progress {
  const line = createProgressLine(write, isTerminal);
  return {
    show(tally) {
      const { collection, total, complete: isEnd } = tally;
      line.show(collection, progressLine(tally), { done: countDone(tally), total, isEnd });
    },
    end: line.end,
  };
}

function progressLine(tally: Tally): string {
  const { collection, version, total, complete } = tally;
  const done = countDone(tally);
  if (complete && done === 0) return `${collection}: nothing older than version ${version}`;
  return `${collection}: ${done} of ${Math.max(done, total)}`;
}

/** The table of results per collection, the failures, and the documents that are left for the next run. */
export function summaryLines(tallies: Tally[], dryRun: boolean): string[] {
  const heads = ['', dryRun ? 'would migrate' : 'migrated', 'left', 'failed'];
  const rows = tallies.map((tally) => [
    tally.collection,
    ...[tally.migrated, countLeft(tally), tally.failed].map(String),
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
    printableText(reason.startsWith(path) ? `failed: ${reason}` : `failed: ${path}: ${reason}`),
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
  return left.length === 0 ? [] : [`left: ${left.join(', ')}; the next run continues with them`];
}

const countDone = ({ migrated, inWork, changed, failed }: Tally): number =>
  migrated + inWork + changed + failed;

const countLeft = (tally: Tally): number => tally.inWork + tally.changed + notReached(tally);

/** Documents that an interrupted run did not reach. After a complete one others migrated them. */
const notReached = (tally: Tally): number =>
  tally.complete ? 0 : Math.max(0, tally.total - countDone(tally));
