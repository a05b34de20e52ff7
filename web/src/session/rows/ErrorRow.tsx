// Errors: code, sentence, what became of them. Those that ended something are red, the others orange.

import type { TimelineEvent } from '../../../../shared/api/types.ts';
import { clockText } from '../../model/format.ts';
import { metaText } from '../../model/steps.ts';
import { Foreign } from '../../parts/Foreign.tsx';
import parts from '../../parts/parts.module.css';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** An error. */
export function ErrorRow(props: RowProps) {
  const { event } = props;
  const isRecoverable = event.metadata.recoverable === true;
  const tone = isRecoverable ? 'late' : 'fail';
  return (
    <Row {...props} icon={event.status === 'timed_out' ? 'clock' : 'failed'} tone={tone}>
      <div class={`${parts.box} ${parts[tone]}`}>
        <b>{metaText(event, 'code')}</b> <Foreign text={event.content} />
        <p class={s.under}>{becameOf(event)}</p>
      </div>
    </Row>
  );
}

function becameOf({ metadata }: TimelineEvent): string {
  if (metadata.code === 'TAINT_BLOCKED')
    return 'The call was stopped, because it would have carried a masked value.';
  if (metadata.recoverable !== true) return 'It ended the execution.';
  return metadata.retryable === true ? 'It was tried again.' : 'It was told to the model.';
}

/** The same error several times, one after the other. */
export function RepeatedRow(props: RowProps & { events: TimelineEvent[] }) {
  const { events, isOpen, toggle, event } = props;
  const last = events.at(-1) ?? event;
  const tone = last.metadata.recoverable === true ? 'late' : 'fail';
  return (
    <Row {...props} icon="failed" tone={tone}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>
          {events.length} × {metaText(event, 'code')}
        </span>{' '}
        <span class={s.under}>
          {clockText(event.createdAt)} to {clockText(last.createdAt)} UTC
        </span>
      </button>
      <ul>
        {(isOpen ? events : [last]).map((one) => (
          <li key={one.eventId} class={`${parts.box} ${parts[tone]}`}>
            <Foreign text={one.content} />
            <p class={s.under}>{becameOf(one)}</p>
          </li>
        ))}
      </ul>
    </Row>
  );
}
