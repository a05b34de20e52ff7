// The row of a step, by the type of its event.

import type { StepAddress } from '../../model/address.ts';
import type { OtherEvent, Step } from '../../model/steps.ts';
import { CallRow } from '../rows/CallRow.tsx';
import { ErrorRow, RepeatedRow } from '../rows/ErrorRow.tsx';
import { CodeRow, PagesRow, SearchRow } from '../rows/ProviderRows.tsx';
import type { RowProps } from '../rows/Row.tsx';
import { AnalysisRow, PersonRow, ResponseRow, TextRow, ThinkingRow } from '../rows/TextRows.tsx';
import { useSession } from '../state/sessionState.ts';

interface StepProps extends Omit<RowProps, 'event'> {
  step: Step;
  marked?: StepAddress['lines'];
}

/** The row of a step. */
export function StepRow({ step, marked, ...given }: StepProps) {
  switch (step.kind) {
    case 'call':
      return <CallRow {...given} step={step} {...(marked && { marked })} />;
    case 'repeated': {
      const [first] = step.events;
      return first && <RepeatedRow {...given} event={first} events={step.events} />;
    }
    case 'event':
      return <EventRow {...given} event={step.event} />;
  }
}

/** The row of an event: a row of its own, else label and content. */
function EventRow({ event, ...given }: RowProps<OtherEvent>) {
  const { finalAnalysis, summary } = useSession();
  switch (event.eventType) {
    case 'llm_thinking':
      return <ThinkingRow {...given} event={event} />;
    case 'llm_response':
      return <ResponseRow {...given} event={event} />;
    case 'error':
      return <ErrorRow {...given} event={event} />;
    case 'user_question':
    case 'user_guidance':
      return <PersonRow {...given} event={event} />;
    case 'code_execution':
      return <CodeRow {...given} event={event} />;
    case 'google_search_result':
      return <SearchRow {...given} event={event} />;
    case 'url_context_result':
      return <PagesRow {...given} event={event} />;
    case 'final_analysis':
      return <AnalysisRow {...given} event={event} isAtTop={event.content === finalAnalysis.value} />;
    case 'executive_summary':
      return <AnalysisRow {...given} event={event} isAtTop={event.content === summary.value} />;
    default:
      return <TextRow {...given} event={event} />;
  }
}
