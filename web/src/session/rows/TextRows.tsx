// Rows of text by agents and users.

import type { ComponentChildren } from 'preact';
import type { EventOf } from '../../../../shared/lists/apiTypes.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { parseMarkdown, plainWords } from '../../markdown/parse.ts';
import { firstLines, withoutMarks } from '../../model/format.ts';
import { Arguments } from '../../parts/Arguments.tsx';
import { wordsOfEvent } from '../../parts/eventDisplay.ts';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { useSession } from '../state/sessionState.ts';
import { noticeText } from './noticeText.ts';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** The thinking of an agent: three lines, or all. */
export function ThinkingRow(props: RowProps<EventOf<'llm_thinking'>>) {
  const { event, isOpen, toggle } = props;
  const text = withoutMarks(event.content.trim());
  const isLong = text.length > 240 || text.split('\n').length > 3;
  const words = (
    <span class={`${s.words} ${isOpen || !isLong ? '' : `${s.clamped} ${s.three}`}`}>
      <span class={s.label}>{wordsOfEvent(event.eventType).label}</span> <Untrusted text={text} />
      {event.status === 'streaming' && <Caret />}
    </span>
  );
  return (
    <Row {...props} measure={event.metadata.signed ? 'signed' : undefined}>
      {isLong ? (
        <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
          {words}
        </button>
      ) : (
        words
      )}
    </Row>
  );
}

function Caret() {
  return <span class={s.caret} aria-hidden="true" />;
}

/** The response of an agent, where its heading does not contain all of it. */
export function ResponseRow(props: RowProps<EventOf<'llm_response'>>) {
  const { event } = props;
  if (event.status === 'streaming') return <PartialRow {...props} />;
  return (
    <Row {...props}>
      <Markdown source={event.content} />
    </Row>
  );
}

/** Text as it comes. Its box does not shrink, and it is not read out before it is whole. */
function PartialRow(props: RowProps) {
  return (
    <Row {...props} icon="pen" tone="run" measure="streaming">
      <div class={s.partial} aria-busy="true">
        <Untrusted text={withoutMarks(props.event.content)} />
        <Caret />
      </div>
    </Row>
  );
}

/** A question or a hint of a person. */
export function PersonRow(props: RowProps<EventOf<'user_question' | 'user_guidance'>>) {
  const { event } = props;
  const who = event.eventType === 'user_question' ? event.metadata.askedBy : event.metadata.givenBy;
  return (
    <Row {...props}>
      <span class={s.label}>
        {wordsOfEvent(event.eventType).label} by <Untrusted text={who} />
      </span>{' '}
      <span class={s.words}>
        <Untrusted text={event.content} />
      </span>
    </Row>
  );
}

type AnalysisEvent = EventOf<'final_analysis' | 'executive_summary'>;

/** The analysis of the session stands at the top; in its place a link to it. Any other one is shown here. */
export function AnalysisRow(props: RowProps<AnalysisEvent> & { isAtTop: boolean }) {
  const { event, isAtTop, isOpen, toggle } = props;
  if (event.status === 'streaming') return <PartialRow {...props} />;
  const name = wordsOfEvent(event.eventType).label;
  const notes = listAnalysisFaults(event);
  return (
    <Row {...props} {...(notes.length > 0 && { tone: 'late' })}>
      {isAtTop ? (
        <p>
          <span class={s.label}>{name}</span> <a href="#analysis">See above</a>
        </p>
      ) : (
        <LongText label={name} text={event.content} isOpen={isOpen} toggle={toggle} />
      )}
      {notes.map((note) => (
        <p key={note} class={s.faulty}>
          {note}
        </p>
      ))}
    </Row>
  );
}

function listAnalysisFaults(event: AnalysisEvent): string[] {
  if (event.eventType !== 'final_analysis') return [];
  const { forcedConclusion, truncated, iterationsUsed, maxIterations, outputFault } = event.metadata;
  const used = iterationsUsed === undefined ? '' : ` (${iterationsUsed} of ${maxIterations} iterations)`;
  return [
    forcedConclusion && `Concluded at its iteration limit${used}`,
    truncated && 'Truncated answer',
    outputFault && `No structured output: ${outputFault}`,
  ].filter((note) => typeof note === 'string');
}

const LONG = 480;

function LongText(props: { label: string; text: string; isOpen: boolean; toggle: () => void }) {
  const { label, text, isOpen, toggle } = props;
  if (text.length <= LONG || isOpen)
    return (
      <>
        {text.length > LONG ? (
          <button type="button" class={s.open} aria-expanded={true} onClick={toggle}>
            <span class={s.label}>{label}</span>
          </button>
        ) : (
          <span class={s.label}>{label}</span>
        )}
        <Markdown source={text} />
      </>
    );
  return (
    <button type="button" class={s.open} aria-expanded={false} onClick={toggle}>
      <span class={s.label}>{label}</span>{' '}
      <span class={s.words}>
        <Untrusted text={firstLines(plainWords(parseMarkdown(text.slice(0, 2 * LONG))), LONG)} />
      </span>
    </button>
  );
}

/** Label and content of an event, whole up to six lines. */
export function TextRow(props: RowProps) {
  const { event } = props;
  if (event.eventType === 'notice') return <NoticeRow {...props} event={event} />;
  if (event.eventType === 'action') return <ActionRow {...props} event={event} />;
  return <PlainRow {...props} label={`${wordsOfEvent(event.eventType).label}:`} text={event.content} />;
}

function PlainRow({ label, text, ...props }: RowProps & { label: string; text: string }) {
  const { isOpen, toggle } = props;
  const isLong = text.length > 500 || text.split('\n').length > 6;
  const words = (
    <span class={`${s.words} ${isLong && !isOpen ? `${s.clamped} ${s.six}` : ''}`}>
      <span class={s.label}>{label}</span> <Untrusted text={text} />
    </span>
  );
  return (
    <Row {...props}>
      {isLong ? (
        <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
          {words}
        </button>
      ) : (
        words
      )}
    </Row>
  );
}

/** A notice. It links to facts that the page shows elsewhere, and does not repeat them. */
function NoticeRow(props: RowProps<EventOf<'notice'>>) {
  const { event } = props;
  const { code } = event.metadata;
  const { label, text } = noticeText(code, event.content);
  const isApproval = code.startsWith('approval');
  const row = { ...props, ...(isApproval && { icon: 'hand' as const, tone: 'wait' as const }) };
  const linked = (content: ComponentChildren) => (
    <Row {...row}>
      <span class={s.label}>{label}</span> <span class={s.words}>{content}</span>
    </Row>
  );
  if (code === 'partial_result') return linked(<a href="#analysis">See above</a>);
  if (code === 'seen_before') return linked(<SeenBefore />);
  return isApproval ? linked(<Untrusted text={text} />) : <PlainRow {...props} label={label} text={text} />;
}

/** The earlier sessions, as links. */
function SeenBefore() {
  const { view } = useSession();
  return (
    <>
      {view.value?.seenBefore.map(({ sessionId, title, isSame }, index) => (
        <span key={sessionId}>
          {index > 0 && ', '}
          <a href={`/s/${sessionId}`}>
            <Untrusted text={title} />
          </a>{' '}
          ({isSame ? 'same alert' : 'similar alert'})
        </span>
      ))}
    </>
  );
}

/** An action with its payload as a table. */
function ActionRow(props: RowProps<EventOf<'action'>>) {
  const { event } = props;
  const { actionType } = event.metadata;
  const payload = event.content.startsWith(`${actionType}: `)
    ? event.content.slice(actionType.length + 2)
    : event.content;
  if (!payload.startsWith('{')) return <PlainRow {...props} label={`Action ${actionType}:`} text={payload} />;
  return (
    <Row {...props}>
      <span class={s.label}>
        Action <Untrusted text={actionType} />
      </span>
      <Arguments json={payload} />
    </Row>
  );
}
