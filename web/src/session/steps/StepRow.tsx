// A step, drawn by its type. A type that is not known is drawn as its content.

import type { StepAddress } from '../../model/address.ts';
import { eventsOf, type Step } from '../../model/steps.ts';
import { CallRow } from '../rows/CallRow.tsx';
import { ErrorRow, RepeatedRow } from '../rows/ErrorRow.tsx';
import { CodeRow, PagesRow, SearchRow } from '../rows/ProviderRows.tsx';
import type { RowProps } from '../rows/Row.tsx';
import { AnalysisRow, OtherRow, PersonRow, ResponseRow, ThinkingRow } from '../rows/TextRows.tsx';
import { useSession } from '../state/sessionState.ts';

interface StepProps extends Omit<RowProps, 'event'> {
  step: Step;
  marked?: StepAddress['lines'];
}

/** A row of any type. */
export function StepRow({ step, marked, ...given }: StepProps) {
  const { atTop, summary } = useSession();
  const [event] = eventsOf(step);
  if (event === undefined) return null;
  const props: RowProps = { ...given, event };
  if (step.kind === 'call') return <CallRow {...props} step={step} {...(marked && { marked })} />;
  if (step.kind === 'repeated') return <RepeatedRow {...props} events={step.events} />;
  switch (event.eventType) {
    case 'llm_thinking':
      return <ThinkingRow {...props} />;
    case 'llm_response':
      return <ResponseRow {...props} />;
    case 'error':
      return <ErrorRow {...props} />;
    case 'user_question':
    case 'user_guidance':
      return <PersonRow {...props} />;
    case 'code_execution':
      return <CodeRow {...props} />;
    case 'google_search_result':
      return <SearchRow {...props} />;
    case 'url_context_result':
      return <PagesRow {...props} />;
    case 'final_analysis':
      return <AnalysisRow {...props} isAtTop={event.content === atTop.value} name="Analysis" />;
    case 'executive_summary':
      return <AnalysisRow {...props} isAtTop={event.content === summary.value} name="Summary" />;
    default:
      return <OtherRow {...props} />;
  }
}
