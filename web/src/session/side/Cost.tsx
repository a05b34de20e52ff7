// Tokens, price, models and time of a session.

import { knownTotal } from '../../../../shared/client/knownTotal.ts';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { countText, durationText, numberText, priceText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { ExternalLink } from '../../parts/ExternalLink.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { listBudgetTexts } from './budgets.ts';
import s from './side.module.css';

/** The panel. */
export function Cost({ view }: { view: SessionView }) {
  const { tokens, models, status, documentUrl, unreadable } = view;
  const known = (total: number) => knownTotal(total, numberText(total), unreadable);
  // As the steps count them: without the call for the summary, and questions.
  const iterations = view.stages
    .filter(({ kind }) => kind === 'investigation' || kind === 'synthesis')
    .flatMap(({ executions }) => executions)
    .reduce((sum, { iteration }) => sum + iteration, 0);
  const rows: (readonly [string, string])[] = [
    ['Input', known(tokens.input)],
    ['Thinking', known(tokens.thinking)],
    ['Output', known(tokens.output)],
    ['Cached', known(tokens.cached)],
    ['Price', knownTotal(view.cost.usd, priceText(view), unreadable)],
    ['Model', models.length === 0 ? 'none yet' : models.join(', ')],
    ['Iterations of all agents', known(iterations)],
    ...(hasEnded(status)
      ? [['Time', durationText(view.durationMs ?? 0)] as const]
      : listBudgetTexts(view, Math.max(tick.value, serverNow()))),
  ];
  return (
    <section class={parts.panel} aria-labelledby="cost-title">
      <div class={parts.panelHead}>
        <h2 id="cost-title">{hasEnded(status) ? 'Cost' : 'Cost so far'}</h2>
        <span class={parts.meta}>
          {knownTotal(tokens.total, countText(tokens.total, 'token'), unreadable)}
        </span>
      </div>
      <dl class={s.pairs}>
        {rows.map(([name, value], index) => (
          <div key={index}>
            <dt>{name}</dt>
            <dd>
              <Untrusted text={value} />
            </dd>
          </div>
        ))}
      </dl>
      {documentUrl && (
        <p class={s.alert}>
          <ExternalLink url={documentUrl} opensAtOnce>
            Firestore document
          </ExternalLink>
        </p>
      )}
    </section>
  );
}
