// Usage by chain, agent, model or tool: a table with a bar for each row.

import { durationText, numberText } from '../../model/format.ts';
import type { Ratings } from '../../model/reviews.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { byUse, type Grouping, percentile, sumMeasure, sumRowCost, type UsageRow } from './report.ts';
import s from './usage.module.css';

/** A grouping of a table: those of the API, and tools by their server. */
export type TableGrouping = Grouping | 'server';

/** The unit of each row. */
const COUNTED: Record<TableGrouping, string> = {
  day: 'Sessions',
  chain: 'Sessions',
  agent: 'Runs',
  model: 'Calls',
  tool: 'Calls',
  server: 'Calls',
};

interface TableProps {
  by: TableGrouping;
  rows: readonly UsageRow[];
  /** Reviews by the key of their row. Default: no column of reviews. */
  ratings?: ReadonlyMap<string, Ratings> | undefined;
}

/** The rows that used the most first. */
export function GroupTable({ by, rows, ratings }: TableProps) {
  const usesTokens = by !== 'tool' && by !== 'server';
  const sorted = byUse(rows);
  const measure = sumMeasure(rows, 'tokens') === null ? 'count' : 'tokens';
  const most = Math.max(1, ...rows.map((row) => row[measure] ?? 0));
  return (
    <div class={s.scroll} tabIndex={0} role="region" aria-label={`Usage by ${by}`}>
      <table class={s.table}>
        <thead>
          <tr>
            <th scope="col">{by}</th>
            <td class={s.barHead} />
            {usesTokens && <Head name="Tokens" />}
            <Head name={COUNTED[by]} />
            <Head name="Failed" />
            <Head name="Time" />
            <Head name="Half within" />
            <Head name="95 % within" />
            {usesTokens && <Head name="Cost" />}
            {ratings && <Head name="Right, partly, wrong" />}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr key={row.key}>
              <th scope="row">
                <Untrusted text={row.key === '' ? 'unknown' : row.key} />
              </th>
              <td class={s.barCell}>
                <svg aria-hidden="true">
                  <rect
                    x="0"
                    y="3"
                    height="10"
                    rx="2"
                    width={`${(100 * (row[measure] ?? 0)) / most}%`}
                    class={s.bar}
                  />
                </svg>
              </td>
              {usesTokens && <Cell value={row.tokens} />}
              <Cell value={row.count} />
              <Failed value={row.failed} />
              <Duration ms={row.durationMs} />
              <Duration ms={percentile(row, 0.5)} />
              <Duration ms={percentile(row, 0.95)} />
              {usesTokens && <td class={s.right}>{row.cost === null ? <Not /> : sumRowCost([row])}</td>}
              {ratings && <td class={s.right}>{ratingText(ratings.get(row.key))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function ratingText(ratings: Ratings | undefined): string {
  return ratings === undefined ? 'none' : `${ratings.right}, ${ratings.partly}, ${ratings.wrong}`;
}

function Head({ name }: { name: string }) {
  return (
    <th scope="col" class={s.right}>
      {name}
    </th>
  );
}

function Cell({ value }: { value: number | null }) {
  return <td class={s.right}>{value === null ? <Not /> : numberText(value)}</td>;
}

function Duration({ ms }: { ms: number | null }) {
  return <td class={s.right}>{ms === null ? <Not /> : durationText(ms)}</td>;
}

function Failed({ value }: { value: number | null }) {
  if (value === null || value === 0) return <Cell value={value} />;
  return <td class={`${s.right} ${s.failed}`}>{numberText(value)}</td>;
}

function Not() {
  return <span class={parts.meta}>not counted</span>;
}
