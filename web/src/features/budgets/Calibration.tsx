// How often analyses were right by people's reviews, and how often their problem ended as they stated.

import { type CalibrationRow, type Interval, MIN_LABELS } from '../../../../shared/evidence/calibration.ts';
import { outcomeWords } from '../../../../shared/evidence/outcomeWords.ts';
import { numberText } from '../../model/format.ts';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './usage.module.css';

const COUNTS = ['sessions', 'right', 'partly', 'wrong', 'disputed'] as const;
const percent = (share: number) => `${Math.round(share * 100)} %`;
const shareText = (share: Interval | null) =>
  share ? `${percent(share.value)} (${percent(share.low)} to ${percent(share.high)})` : '–';

/** A table of the reviewed sessions by chain, models and verdict. */
export function Calibration({ rows }: { rows: readonly CalibrationRow[] }) {
  return (
    <section class={parts.panel} aria-labelledby="calibration">
      <div class={parts.panelHead}>
        <h2 id="calibration">Right by review</h2>
        <span class={parts.meta}>sessions that people reviewed; a percentage from {MIN_LABELS} on</span>
      </div>
      <div class={s.scroll} tabIndex={0} role="region" aria-label="Table of reviews">
        <table class={s.table}>
          <thead>
            <tr>
              <th scope="col">Chain</th>
              <th scope="col">Models</th>
              <th scope="col">Verdict</th>
              {[
                'Sessions',
                'Right',
                'Partly',
                'Wrong',
                'Disputed',
                'Share (95 %)',
                'Outcomes',
                'Held (95 %)',
              ].map((name) => (
                <th key={name} scope="col" class={s.right}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ chain, models, verdict, share, outcomes, held, ...counts }) => (
              <tr key={JSON.stringify([chain, models, verdict])}>
                <th scope="row">
                  <Untrusted text={chain ?? 'unknown'} />
                </th>
                <td class={s.models}>
                  <Untrusted text={models.join(', ') || 'none'} />
                </td>
                <td>{verdict?.replaceAll('_', ' ') ?? 'not checked'}</td>
                {COUNTS.map((name) => (
                  <td key={name} class={s.right}>
                    {numberText(counts[name])}
                  </td>
                ))}
                <td class={s.right}>{shareText(share)}</td>
                <td class={s.right}>
                  {Object.entries(outcomes)
                    .map(([outcome, count]) => `${numberText(count)} ${outcomeWords(outcome)}`)
                    .join(', ') || '–'}
                </td>
                <td class={s.right}>{shareText(held)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
