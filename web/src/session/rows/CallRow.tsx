// A call and its result as one row; the result changes its measure, not its height.

import { useEffect, useMemo } from 'preact/hooks';
import type { EventOf, ExecutionView } from '../../../../shared/lists/apiTypes.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { parseMarkdown, plainWords } from '../../markdown/parse.ts';
import type { StepAddress } from '../../model/address.ts';
import { stepId } from '../../model/address.ts';
import { bytesText, countText, durationText, firstLines, numberText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import {
  type CallEvent,
  type CallStep,
  findChildExecution,
  parseArgumentPairs,
  shortName,
} from '../../model/steps.ts';
import type { Timeline } from '../../model/timeline.ts';
import { Arguments } from '../../parts/Arguments.tsx';
import { Icon, type IconName } from '../../parts/Icon.tsx';
import { loadLater } from '../../parts/lazyPart.tsx';
import parts from '../../parts/parts.module.css';
import { Status } from '../../parts/Status.tsx';
import type { Tone } from '../../parts/statusDisplay.ts';
import { Marked, Untrusted } from '../../parts/Untrusted.tsx';
import { listExecutions } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

const Result = loadLater('The result', () => import('./Result.tsx').then((module) => module.Result));

/** A call of a tool. */
export function CallRow(props: Omit<RowProps, 'event'> & { step: CallStep; marked?: StepAddress['lines'] }) {
  const { step, isOpen, toggle, marked } = props;
  const { call, result, summary } = step;
  const { icon, tone } = chooseCallLook(step);
  // The code is there before a row is unfolded.
  useEffect(Result.start, []);
  const { timeline, view } = useSession();
  const same = earlierCall(timeline, step);
  const childId = findChildExecution(call);
  const child =
    childId === undefined
      ? undefined
      : listExecutions(view.value).find(({ executionId }) => executionId === childId);
  const answer = child?.finalAnalysis ?? '';
  // An answer that comes while shown takes one line until unfolded: no row moves.
  const isEarly = useMemo(() => answer !== '', []);
  const hasAnswer = answer !== '' && (isOpen || isEarly);
  return (
    <Row {...props} event={call} icon={icon} tone={tone} measure={<Measure step={step} />}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        {child ? <Question call={call} child={child} /> : <CallWords call={call} isOpen={isOpen} />}
        <span class={s.under}>
          {child ? <ChildFacts child={child} isShort={!hasAnswer} /> : describeCallResult(step)}
        </span>
      </button>
      {child && hasAnswer && <Answer child={child} text={answer} />}
      {same && (
        <p class={s.under}>
          Same call as in <a href={same.href}>iteration {same.iteration}</a>
          {same.isEqual === undefined ? '' : ` (result ${same.isEqual ? 'equal' : 'differs'})`}
        </p>
      )}
      <Outcome step={step} />
      {isOpen && (
        <div class={s.unfolded}>
          <Arguments json={call.metadata.arguments} />
          {summary && (
            <div class={s.found}>
              <b>Summary</b>
              <Markdown source={summary.content} />
            </div>
          )}
          {result && <Result event={result} call={call.metadata.arguments} {...(marked && { marked })} />}
        </div>
      )}
    </Row>
  );
}

/** The question to another agent. */
function Question({ call, child }: { call: CallEvent; child: ExecutionView }) {
  const question =
    parseArgumentPairs(call.metadata.arguments).find(([name]) => name.includes('text'))?.[1] ?? '';
  return (
    <>
      <span class={s.label}>
        Question for <Untrusted text={child.agentName} />
      </span>{' '}
      <span class={s.words}>
        “<Untrusted text={question} />”
      </span>{' '}
    </>
  );
}

/** The work of the asked agent, on one line. @param isShort With the start of its answer. */
function ChildFacts({ child, isShort }: { child: ExecutionView; isShort: boolean }) {
  const { status, iteration, toolCalls, tokens, finalAnalysis } = child;
  return (
    <span class={s.oneLine}>
      <Status status={status} plain />{' '}
      {isShort && finalAnalysis ? (
        <Untrusted text={firstLines(plainWords(parseMarkdown(finalAnalysis.slice(0, 600))), 240)} />
      ) : (
        `${countText(iteration, 'iteration')} · ${countText(toolCalls, 'tool')} · ${numberText(tokens.total)} tokens`
      )}
    </span>
  );
}

/** The answer of the agent that was asked: the result of the call. */
function Answer({ child: { executionId, agentName }, text }: { child: ExecutionView; text: string }) {
  return (
    <div class={s.answer} id={`found-${executionId}`}>
      <b>Answer</b>
      <div class={s.foundText} tabIndex={0} role="region" aria-label={`Answer of ${agentName}`}>
        <Markdown source={text} />
      </div>
    </div>
  );
}

/** The tool and its arguments on a line. */
function CallWords({ call, isOpen }: { call: CallEvent; isOpen: boolean }) {
  const { toolName } = call.metadata;
  return (
    <>
      <span class={s.tool}>
        <bdi>
          {toolName.slice(0, toolName.length - shortName(toolName).length)}
          <b>{shortName(toolName)}</b>
        </bdi>
      </span>
      {!isOpen && <OneLine json={call.metadata.arguments} />}
    </>
  );
}

function OneLine({ json }: { json: string }) {
  const pairs = parseArgumentPairs(json);
  if (pairs.length === 0) return null;
  return (
    <bdi class={s.args}>
      {pairs.map(([name, value]) => (
        <span key={name}>
          <i>{name}</i> <Marked text={firstLines(value, 160)} />{' '}
        </span>
      ))}
    </bdi>
  );
}

/** The line under a call, there before the result, which changes only its words. */
function describeCallResult({ result, summary }: CallStep): string {
  if (result === undefined) return 'no result yet';
  const { metadata, lines, bytes } = result;
  const { masked = 0, truncated } = metadata;
  return [
    countText(lines, 'line'),
    bytesText(bytes),
    summary && `summarized from ${bytesText(summary.metadata.originalBytes)}`,
    truncated && 'truncated',
    masked > 0 && `${countText(masked, 'value')} masked`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function chooseCallLook({ call, result }: CallStep): { icon: IconName; tone: Tone } {
  if (result?.metadata.outcome === 'unknown') return { icon: 'question', tone: 'late' };
  if (result?.metadata.isError) return { icon: 'failed', tone: 'fail' };
  return { icon: findChildExecution(call) === undefined ? 'tool' : 'child', tone: 'none' };
}

/** Shown without a click: the error of a result, or that its effect is unknown. */
function Outcome({ step: { result } }: { step: CallStep }) {
  if (result?.metadata.outcome === 'unknown')
    return (
      <p class={`${parts.box} ${parts.late}`}>
        <b>Effect unknown.</b> The function stopped during this call. It was not repeated.
      </p>
    );
  if (!result?.metadata.isError) return null;
  return (
    <p class={`${parts.box} ${parts.fail}`}>
      <Untrusted text={firstLines(result.content.split('\n')[0] ?? '', 300)} />
    </p>
  );
}

function Measure({ step: { call, result } }: { step: CallStep }) {
  const { view } = useSession();
  if (result !== undefined) {
    const { durationMs, isError } = result.metadata;
    const words: Record<string, string> = { timed_out: 'timed out', cancelled: 'cancelled' };
    const word = words[result.status] ?? (isError ? 'failed' : '');
    const time = durationMs === null ? '' : durationText(durationMs);
    return <>{[word, time].filter((text) => text !== '').join(', ')}</>;
  }
  const execution = listExecutions(view.value).find(({ executionId }) => executionId === call.executionId);
  if (execution === undefined || hasEnded(execution.status)) return <>no result</>;
  const isPending = view.value?.approvals.some(
    (one) => one.status === 'pending' && one.callId === call.metadata.callId,
  );
  if (isPending)
    return (
      <span class={parts.wait}>
        <Icon name="hand" />
        needs approval
      </span>
    );
  return <Running call={call} />;
}

function Running({ call }: { call: CallEvent }) {
  const now = Math.max(tick.value, serverNow());
  return (
    <span role="img" aria-label="running">
      <Icon name="ring" class={parts.spin ?? ''} />
      {durationText(Math.max(0, now - Date.parse(call.createdAt)))}
    </span>
  );
}

type ResultEvent = EventOf<'tool_result'>;

/** A call with the same tool and arguments. */
interface EarlierCall {
  href: string;
  iteration: number;
  /** Whether it had the same result; undefined while one of them has none, or only a part is known. */
  isEqual: boolean | undefined;
}

/** The first call of the same agent in an earlier iteration with the same tool and arguments. */
function earlierCall(timeline: Timeline, { call, result }: CallStep): EarlierCall | undefined {
  const before = timeline.callsLike(call).find(({ iteration }) => (iteration ?? 0) < (call.iteration ?? 0));
  if (before === undefined || before.iteration === null) return undefined;
  const other = timeline.resultOf(before);
  return {
    href: `#${stepId(before)}`,
    iteration: before.iteration,
    isEqual: result && other && isSameResult(result, other),
  };
}

/** Undefined where the known parts do not show it. */
function isSameResult(one: ResultEvent, other: ResultEvent): boolean | undefined {
  if (one.bytes !== other.bytes || one.lines !== other.lines) return false;
  return one.cut || other.cut ? undefined : one.content === other.content;
}
