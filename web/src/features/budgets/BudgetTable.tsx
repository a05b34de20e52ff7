// Budgets of tokens with their usage and forecast.

import { shareText } from '../../../../shared/client/shareText.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { numberText } from '../../model/format.ts';
import { Bars } from '../../parts/Bars.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './usage.module.css';

const STATES = { large: 'own models', small: 'small model', record: 'record only' };

/** A table of the budgets; nothing where none is set, and for people who are not operators. */
export function BudgetTable() {
  const { value, error } = useResource((left) => api.get('/v1/budgets', {}, left));
  if (value.value === undefined && error.value === undefined) return <Bars />;
  const budgets = value.value?.budgets ?? [];
  if (budgets.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="budgets">
      <div class={parts.panelHead}>
        <h2 id="budgets">Budgets</h2>
        <span class={parts.meta}>tokens of this day or month in UTC</span>
      </div>
      <div class={s.scroll} tabIndex={0} role="region" aria-label="Table of budgets">
        <table class={s.table}>
          <thead>
            <tr>
              <th scope="col">Budget</th>
              <th scope="col">Period</th>
              {['Used', 'Limit', 'Kept for critical', 'Share', 'Forecast'].map((name) => (
                <th key={name} scope="col" class={s.right}>
                  {name}
                </th>
              ))}
              <th scope="col">Reached</th>
              <th scope="col">New sessions</th>
            </tr>
          </thead>
          <tbody>
            {budgets.map(({ name, of, period, limit, critical, used, state, forecast, reachedAt }) => (
              <tr key={JSON.stringify([name, of])}>
                <th scope="row">
                  <Untrusted text={of === null ? name : `${name} · ${of}`} />
                </th>
                <td>{period}</td>
                <td class={s.right}>{numberText(used)}</td>
                <td class={s.right}>{numberText(limit)}</td>
                <td class={s.right}>{numberText(critical)}</td>
                <td class={s.right}>{shareText(used, limit)}</td>
                <td class={s.right}>{forecast === null ? '–' : shareText(forecast, limit)}</td>
                <td>{reachedAt?.slice(0, 10) ?? '–'}</td>
                <td>{STATES[state]}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
