// In place of the analysis: that it is pending, or the reason for none.

import type { SessionView } from '../../../../shared/api/types.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { hasEnded } from '../../model/status.ts';
import parts from '../../parts/parts.module.css';
import { Status } from '../../parts/Status.tsx';
import { statusShown } from '../../parts/statusDisplay.ts';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { executionsOf } from '../state/sentences.ts';
import s from './analysis.module.css';

/** How a session stands that has no analysis, or ended otherwise than completed. */
export function Ending({ view, isBelow = false }: { view: SessionView; isBelow?: boolean }) {
  const { status, failure, cancellation, partial, finalAnalysis } = view;
  if (!hasEnded(status)) {
    if (isBelow || finalAnalysis !== null) return null;
    const [first] = executionsOf(view).filter((execution) => !hasEnded(execution.status));
    return (
      <section id="analysis" class={`${parts.panel} ${s.notYet}`} aria-label="Analysis" tabIndex={-1}>
        <b>Analysis:</b> pending.
        {first && ` Iteration ${first.iteration} of at most ${first.maxIterations}.`}
      </section>
    );
  }
  const { tone } = statusShown(status);
  const body = (
    <div class={s.body}>
      <div class={`${parts.box} ${parts[tone]}`}>
        <Status status={status} plain />
        {failure !== null && cancellation === null && (
          <p>
            <b>{failure.code}</b> <Untrusted text={failure.message} />
          </p>
        )}
        {cancellation !== null && (
          <p>
            Cancelled by <Untrusted text={cancellation.by} />
            {cancellation.reason !== null && (
              <>
                : <Untrusted text={cancellation.reason} />
              </>
            )}
          </p>
        )}
      </div>
      {partial !== null && partial.text !== failure?.message && (
        <section class={`${s.part} ${s.partial}`}>
          <h3>Partial result</h3>
          <Markdown source={partial.text} />
        </section>
      )}
    </div>
  );
  if (isBelow) return body;
  return (
    <section id="analysis" class={parts.panel} aria-label="Analysis" tabIndex={-1}>
      <div class={parts.panelHead}>
        <h2>{status === 'completed' ? 'Analysis' : 'No analysis'}</h2>
      </div>
      {body}
    </section>
  );
}
