// In place of the analysis: that it is pending, or the reason for none.

import type { SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { stepId } from '../../model/address.ts';
import { hasEnded } from '../../model/status.ts';
import { ErrorCode } from '../../parts/ErrorCode.tsx';
import parts from '../../parts/parts.module.css';
import { Status } from '../../parts/Status.tsx';
import { statusShown } from '../../parts/statusDisplay.ts';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { listExecutions } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import s from './analysis.module.css';
import { Partial } from './Partial.tsx';

/** How a session stands that has no analysis, or ended otherwise than completed. */
export function NoAnalysis({ view, isBelow = false }: { view: SessionView; isBelow?: boolean }) {
  const { status, failure, cancellation, finalAnalysis } = view;
  if (!hasEnded(status)) {
    if (isBelow || finalAnalysis !== null) return null;
    const [first] = listExecutions(view).filter((execution) => !hasEnded(execution.status));
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
            <ErrorCode code={failure.code} /> <Untrusted text={failure.message} />{' '}
            <FailedStep code={failure.code} />
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
      <Partial view={view} />
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

/** A link to the last error of a code among the steps; absent when they have none. */
function FailedStep({ code }: { code: string }) {
  const { timeline } = useSession();
  if (timeline.size.value === 0) return null;
  const isCause = (event: TimelineEvent) => event.eventType === 'error' && event.metadata.code === code;
  const step = timeline.all().filter(isCause).at(-1);
  return step ? <a href={`#${stepId(step)}`}>Show the step</a> : null;
}
