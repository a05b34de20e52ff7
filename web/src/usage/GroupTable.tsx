// Usage by chain, agent, model or tool: a table with a bar for each row.

import { durationText, numberText } from '../model/format.ts';
import parts from '../parts/parts.module.css';
import { Untrusted } from '../parts/Untrusted.tsx';
import { byUse, costOf, type Grouping, total, type UsageRow } from './report.ts';
import s from './usage.module.css';

/** The unit of each row. */
const COUNTED: Record<Grouping, string> = {
  day: 'Sessions',
  chain: 'Sessions',
  agent: 'Runs',
  model: 'Calls',
  tool: 'Calls',
};

/** The rows that used the most first. */
export function GroupTable({ by, rows }: { by: Grouping; rows: readonly UsageRow[] }) {
  const sorted = byUse(rows);
  const measure = total(rows, 'tokens') === null ? 'count' : 'tokens';
  const most = Math.max(1, ...rows.map((row) => row[measure] ?? 0));
  return (
    <div class={s.scroll} tabIndex={0} role="region" aria-label={`Usage by ${by}`}>
      <table class={s.table}>
        <thead>
          <tr>
            <th scope="col">{by}</th>
            <td class={s.barHead} />
            {by !== 'tool' && <Head name="Tokens" />}
            <Head name={COUNTED[by]} />
            <Head name="Failed" />
            <Head name="Time" />
            {by !== 'tool' && <Head name="Cost" />}
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
              {by !== 'tool' && <Cell value={row.tokens} />}
              <Cell value={row.count} />
              <Failed value={row.failed} />
              <td class={s.right}>{row.durationMs === null ? <Not /> : durationText(row.durationMs)}</td>
              {by !== 'tool' && <td class={s.right}>{row.cost === null ? <Not /> : costOf([row])}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
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

function Failed({ value }: { value: number | null }) {
  if (value === null || value === 0) return <Cell value={value} />;
  return <td class={`${s.right} ${s.failed}`}>{numberText(value)}</td>;
}

function Not() {
  return <span class={parts.meta}>not counted</span>;
}
