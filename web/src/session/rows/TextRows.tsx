// Rows of what agents and people say.

import { Markdown } from '../../markdown/Markdown.tsx';
import { parseMarkdown, plainWords } from '../../markdown/parse.ts';
import { firstLines } from '../../model/format.ts';
import { metaText } from '../../model/steps.ts';
import { Foreign } from '../../parts/Foreign.tsx';
import type { IconName } from '../../parts/Icon.tsx';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** What an agent thinks: three lines, or all. */
export function ThinkingRow(props: RowProps) {
  const { event, isOpen, toggle } = props;
  const text = event.content.trim();
  const isLong = text.length > 240 || text.split('\n').length > 3;
  const words = (
    <span class={`${s.words} ${isOpen || !isLong ? '' : `${s.clamped} ${s.three}`}`}>
      <span class={s.label}>Thinking</span> <Foreign text={text} />
      {event.status === 'streaming' && <Caret />}
    </span>
  );
  return (
    <Row {...props} icon="thought" measure={event.metadata.signed === true ? 'signature present' : undefined}>
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

/** What is being written. */
function Caret() {
  return <span class={s.caret} aria-hidden="true" />;
}

/** What an agent says, where its heading does not hold it whole. */
export function ResponseRow(props: RowProps) {
  const { event } = props;
  if (event.status === 'streaming') return <PartialRow {...props} />;
  return (
    <Row {...props} icon="speech">
      <Markdown source={event.content} />
    </Row>
  );
}

/** Text as it comes. Its box does not shrink, and it is not read out before it is whole. */
function PartialRow(props: RowProps) {
  return (
    <Row {...props} icon="pen" tone="run" measure="writes now">
      <div class={s.partial} aria-busy="true">
        <Foreign text={props.event.content} />
        <Caret />
      </div>
    </Row>
  );
}

/** A question or a hint of a person. */
export function PersonRow(props: RowProps) {
  const { event } = props;
  const isQuestion = event.eventType === 'user_question';
  const who = metaText(event, isQuestion ? 'askedBy' : 'givenBy');
  return (
    <Row {...props} icon="speech">
      <span class={s.label}>
        <Foreign text={who === '' ? 'A person' : who} /> {isQuestion ? 'asks' : 'tells the agents'}
      </span>{' '}
      <span class={s.words}>
        <Foreign text={event.content} />
      </span>
    </Row>
  );
}

/** The analysis of the session stands at the top; in its place a link to it. Any other one is shown here. */
export function AnalysisRow(props: RowProps & { isAtTop: boolean; name: string }) {
  const { event, isAtTop, name, isOpen, toggle } = props;
  if (event.status === 'streaming') return <PartialRow {...props} />;
  const { forcedConclusion, truncated, iterationsUsed, maxIterations } = event.metadata;
  const notes = [
    forcedConclusion === true &&
      `Concluded at its limit${iterationsUsed === undefined ? '' : ` (${iterationsUsed} of ${maxIterations} iterations)`}`,
    truncated === true && 'The answer broke off',
    metaText(event, 'outputFault') !== '' && `Without its structured form: ${metaText(event, 'outputFault')}`,
  ].filter((note) => note !== false);
  return (
    <Row {...props} icon="flag" {...(notes.length > 0 && { tone: 'late' as const })}>
      {isAtTop ? (
        <p>
          <span class={s.label}>{name} written.</span> <a href="#analysis">Read it above</a>
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
        <Foreign text={firstLines(plainWords(parseMarkdown(text.slice(0, 2 * LONG))), LONG)} />
      </span>
    </button>
  );
}

const ICONS: Record<string, IconName> = {
  notice: 'info',
  action: 'flag',
  task_assigned: 'child',
  executive_summary: 'flag',
};

/** Anything else: its type as label and its content, whole up to six lines. */
export function OtherRow(props: RowProps) {
  const { event, isOpen, toggle } = props;
  const { eventType, content } = event;
  const isLong = content.length > 500 || content.split('\n').length > 6;
  const words = (
    <span class={`${s.words} ${isLong && !isOpen ? `${s.clamped} ${s.six}` : ''}`}>
      <span class={s.label}>{labelOf(props)}</span> <Foreign text={content} />
    </span>
  );
  const tone = metaText(event, 'code').startsWith('approval') ? 'wait' : undefined;
  return (
    <Row
      {...props}
      icon={tone === 'wait' ? 'hand' : (ICONS[eventType] ?? 'question')}
      {...(tone && { tone })}
    >
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

function labelOf({ event }: RowProps): string {
  const { eventType } = event;
  const code = metaText(event, 'code').replaceAll('_', ' ');
  if (eventType === 'notice' && code !== '') return `${code[0]?.toUpperCase()}${code.slice(1)}.`;
  if (eventType === 'action') return `Action ${metaText(event, 'actionType')}:`;
  if (eventType === 'task_assigned') return 'Task:';
  if (eventType === 'executive_summary') return 'Summary:';
  return `${eventType}:`;
}
