// A call and its result as one row. It has its place from the call on; the result changes its measure, not its height.

import type { TimelineEvent } from '../../../../shared/api/types.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import type { StepAddress } from '../../model/address.ts';
import { bytesText, countText, durationText, firstLines } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { argumentsOf, type CallStep, metaText, shortName } from '../../model/steps.ts';
import { Arguments } from '../../parts/Arguments.tsx';
import { Foreign, Marked } from '../../parts/Foreign.tsx';
import { Icon, type IconName } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import type { Tone } from '../../parts/statusDisplay.ts';
import { executionsOf } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { earlierCall } from './earlierCall.ts';
import { Result } from './Result.tsx';
import { Row, type RowProps } from './Row.tsx';
import s from './steps.module.css';

/** A call of a tool. */
export function CallRow(props: RowProps & { step: CallStep; marked?: StepAddress['lines'] }) {
  const { step, isOpen, toggle, marked } = props;
  const { call, result, summary } = step;
  const toolName = metaText(call, 'toolName');
  const { icon, tone } = lookOf(step);
  const same = earlierCall(useSession().timeline, step);
  return (
    <Row {...props} icon={icon} tone={tone} measure={<Measure step={step} />}>
      <button type="button" class={s.open} aria-expanded={isOpen} onClick={toggle}>
        <CallWords call={call} toolName={toolName} isOpen={isOpen} />
        <span class={s.under}>{underOf(step)}</span>
      </button>
      {same && (
        <p class={s.under}>
          Same call as in <a href={same.href}>iteration {same.iteration}</a>
          {same.isEqual === undefined ? '' : ` (result ${same.isEqual ? 'equal' : 'differs'})`}
        </p>
      )}
      <Outcome step={step} />
      {isOpen && (
        <div class={s.unfolded}>
          <Arguments json={metaText(call, 'arguments')} />
          {summary && (
            <div class={s.found}>
              <b>Summary</b>
              <Markdown source={summary.content} />
            </div>
          )}
          {result && <Result event={result} {...(marked && { marked })} />}
        </div>
      )}
    </Row>
  );
}

/** The tool and its arguments on a line; for a child who was asked, and what. */
function CallWords({ call, toolName, isOpen }: { call: TimelineEvent; toolName: string; isOpen: boolean }) {
  const { view } = useSession();
  const childId = metaText(call, 'childExecutionId');
  const child =
    childId === '' ? undefined : executionsOf(view.value).find(({ executionId }) => executionId === childId);
  if (childId !== '' && child !== undefined) {
    const asked = argumentsOf(metaText(call, 'arguments')).find(([name]) => name.includes('text'))?.[1] ?? '';
    return (
      <>
        <span class={s.label}>
          Asked <Foreign text={child.agentName} />
        </span>{' '}
        <span class={s.words}>
          “<Foreign text={asked} />”
        </span>{' '}
      </>
    );
  }
  return (
    <>
      <span class={s.tool}>
        <bdi>
          {toolName.slice(0, toolName.length - shortName(toolName).length)}
          <b>{shortName(toolName)}</b>
        </bdi>
      </span>
      {!isOpen && <OneLine json={metaText(call, 'arguments')} />}
    </>
  );
}

function OneLine({ json }: { json: string }) {
  const pairs = argumentsOf(json);
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

/** The line under a call. It is there before the result, which changes its words and not the height of the row. */
function underOf({ result, summary }: CallStep): string {
  if (result === undefined) return 'no result yet';
  const { metadata, lines, bytes } = result;
  const masked = Number(metadata.masked ?? 0);
  return [
    countText(lines, 'line'),
    bytesText(bytes),
    summary && `summarised from ${bytesText(Number(summary.metadata.originalBytes ?? 0))}`,
    metadata.truncated === true && 'cut at the limit',
    masked > 0 && `${countText(masked, 'value')} masked`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function lookOf({ call, result }: CallStep): { icon: IconName; tone: Tone } {
  if (result?.metadata.outcome === 'unknown') return { icon: 'question', tone: 'late' };
  if (result?.metadata.isError === true) return { icon: 'failed', tone: 'fail' };
  const isChild = metaText(call, 'childExecutionId') !== '';
  return { icon: isChild ? 'child' : 'tool', tone: 'none' };
}

/** What is said of a result without a click: its error, or that its effect is not known. */
function Outcome({ step: { result } }: { step: CallStep }) {
  if (result?.metadata.outcome === 'unknown')
    return (
      <p class={`${parts.box} ${parts.late}`}>
        <b>Effect unknown.</b> The function died while this ran. It was not repeated.
      </p>
    );
  if (result?.metadata.isError !== true) return null;
  return (
    <p class={`${parts.box} ${parts.fail}`}>
      <Foreign text={firstLines(result.content.split('\n')[0] ?? '', 300)} />
    </p>
  );
}

function Measure({ step: { call, result } }: { step: CallStep }) {
  const { view } = useSession();
  if (result !== undefined) {
    const took = Number(result.metadata.durationMs ?? 0);
    const words: Record<string, string> = { timed_out: 'timed out', cancelled: 'cancelled' };
    const word = words[result.status] ?? (result.metadata.isError === true ? 'failed' : '');
    const time = result.metadata.durationMs === null ? '' : durationText(took);
    return <>{[word, time].filter((text) => text !== '').join(', ')}</>;
  }
  const execution = executionsOf(view.value).find(({ executionId }) => executionId === call.executionId);
  if (execution === undefined || hasEnded(execution.status)) return <>no result</>;
  const isAsked = view.value?.approvals.some(
    (one) => one.status === 'pending' && one.callId === call.metadata.callId,
  );
  if (isAsked)
    return (
      <span class={parts.wait}>
        <Icon name="hand" />
        waits for you
      </span>
    );
  return <Running call={call} />;
}

function Running({ call }: { call: TimelineEvent }) {
  const now = Math.max(tick.value, serverNow());
  return (
    <span role="img" aria-label="runs">
      <Icon name="ring" class={parts.spin ?? ''} />
      {durationText(Math.max(0, now - Date.parse(call.createdAt)))}
    </span>
  );
}
