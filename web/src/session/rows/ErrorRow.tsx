// Errors: code, message and consequence. Fatal ones are red, the others orange.

import type { EventOf } from '../../../../shared/lists/apiTypes.ts';
import { clockText } from '../../model/format.ts';
import { ErrorCode } from '../../parts/ErrorCode.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** An error. */
export function ErrorRow(props: RowProps<EventOf<'error'>>) {
  const { event } = props;
  const tone = event.metadata.recoverable ? 'late' : 'fail';
  return (
    <Row {...props} {...(event.status === 'timed_out' && { icon: 'clock' })} tone={tone}>
      <div class={`${parts.box} ${parts[tone]}`}>
        <ErrorCode code={event.metadata.code} /> <Untrusted text={event.content} />
        <p class={s.under}>{describeErrorOutcome(event)}</p>
      </div>
    </Row>
  );
}

function describeErrorOutcome({ metadata }: EventOf<'error'>): string {
  if (metadata.code === 'TAINT_BLOCKED') return 'The call was blocked: it contained a masked value.';
  if (!metadata.recoverable) return 'The agent stopped.';
  return metadata.retryable ? 'Retried.' : 'Reported to the model.';
}

/** The same error several times, one after the other. */
export function RepeatedRow(props: RowProps<EventOf<'error'>> & { events: EventOf<'error'>[] }) {
  const { events, isOpen, toggle, event } = props;
  const last = events.at(-1) ?? event;
  const tone = last.metadata.recoverable ? 'late' : 'fail';
  return (
    <Row {...props} tone={tone}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <span class={s.label}>
          {events.length} × {event.metadata.code}
        </span>{' '}
        <span class={s.under}>
          {clockText(event.createdAt)} to {clockText(last.createdAt)} UTC
        </span>
      </button>
      <ul>
        {(isOpen ? events : [last]).map((one) => (
          <li key={one.eventId} class={`${parts.box} ${parts[tone]}`}>
            <Untrusted text={one.content} />
            <p class={s.under}>{describeErrorOutcome(one)}</p>
          </li>
        ))}
      </ul>
    </Row>
  );
}
