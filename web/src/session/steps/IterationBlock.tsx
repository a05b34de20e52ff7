// An iteration: the response as its heading, and its steps. It renders again only when it changes.

import { Component, type ComponentChildren, type ComponentType, type FunctionComponent, h } from 'preact';
import type { SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { parseMarkdown, plainWords } from '../../markdown/parse.ts';
import { countText, durationText, firstLines } from '../../model/format.ts';
import {
  chooseIterationHeading,
  findChildExecution,
  groupSteps,
  isFault,
  listStepEvents,
  type Step,
  splitHeading,
} from '../../model/steps.ts';
import type { Iteration } from '../../model/timeline.ts';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from '../rows/steps.module.css';
import { toggleFolding } from '../state/folding.ts';
import { listExecutions } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { filter, isFiltered, marked } from '../state/stepFilter.ts';
import { CallFacts } from './CallFacts.tsx';
import { matchesFilter } from './matchesFilter.ts';
import { StepRow } from './StepRow.tsx';
import { useSeen } from './useSeen.ts';
import { useNear } from './virtualScroll.ts';

/** Characters of markdown. */
const MARKDOWN = /[*_`#[\]]/;
const HEADINGS: Record<number, 'h3' | 'h4' | 'h5' | 'h6'> = { 3: 'h3', 4: 'h4', 5: 'h5', 6: 'h6' };
/** Characters of a heading. */
const HEADING = 220;

/** An iteration that can be folded. */
export const IterationBlock = memo(function IterationBlock({
  iteration,
  finding,
  level,
}: {
  iteration: Iteration;
  /** Where the page shows the finding of the agent, if it does. */
  finding?: 'above' | 'below' | undefined;
  level: number;
}) {
  const Heading = HEADINGS[Math.min(6, level)] ?? 'h6';
  const { view } = useSession();
  const block = useSeen(iteration.key);
  const { isDrawn, gapOf } = useNear(iteration, block);
  const events = iteration.events.value;
  const all = groupSteps(events);
  const isNarrowed = isFiltered(filter.value);
  const isComplete = filter.value.kind !== 'all';
  const steps = isComplete ? all : all.flatMap((step) => withoutHeading(step, events));
  const shown = steps.filter((step) =>
    matchesFilter(step, iteration.executionId, filter.value, () => view.value),
  );
  if (isNarrowed && shown.length === 0) return null;
  const isOpen = isNarrowed || iteration.isOpen.value;
  const tools = steps.filter((step) => step.kind === 'call').length;
  const faults = steps.filter(isFault).length;
  const took = tookText(iteration, steps);
  const toggle = () => toggleFolding(iteration);
  const said = chooseIterationHeading(events);
  const split = isOpen && !isNarrowed ? splitHeading(said) : undefined;
  const heading = split?.heading ?? firstLines(stripMarkdown(said), HEADING);
  const only = onlyAnalysis(steps, finding, () => view.value);
  if (only !== undefined && !isNarrowed)
    return (
      <li ref={block}>
        <Heading class={s.iteration}>
          <span class={s.count}>{iteration.number ?? '·'}</span>
          <span class={s.heading}>
            {onlyHeading(events, heading)} <a href={only.href}>{only.words}</a>
          </span>
        </Heading>
        <CallFacts iteration={iteration} />
      </li>
    );
  return (
    <li ref={block}>
      <Heading>
        <button type="button" class={s.iteration} aria-expanded={isOpen} onClick={toggle} data-iteration>
          <span class={s.count}>{iteration.number ?? '·'}</span>
          <span class={s.heading}>
            <Untrusted text={heading} />
          </span>
          {faults > 0 && (
            <span class={`${parts.meta} ${s.faulty}`}>
              <Icon name="failed" /> {countText(faults, 'error')}
            </span>
          )}
          <span class={parts.meta}>
            {[tools > 0 && countText(tools, 'tool'), took].filter(Boolean).join(' · ')}
          </span>
          <Icon name={isOpen ? 'down' : 'right'} />
        </button>
      </Heading>
      {isOpen && isDrawn && <Rows iteration={iteration} steps={shown} level={level} />}
      {isOpen && !isDrawn && <div style={{ blockSize: `${gapOf(shown.length)}px` }} />}
      <CallFacts iteration={iteration} />
    </li>
  );
});

function Rows({ iteration, steps, level }: { iteration: Iteration; steps: Step[]; level: number }) {
  const open = iteration.openSteps.value;
  const at = marked.value;
  const timeOf = (step: Step | undefined) => step && listStepEvents(step)[0]?.createdAt;
  const toggle = (key: string) => {
    const changed = new Set(iteration.openSteps.peek());
    if (!changed.delete(key)) changed.add(key);
    iteration.openSteps.value = changed;
  };
  return (
    <ol class={s.rows}>
      {steps.map((step, index) => {
        const isMarked =
          at !== undefined &&
          at.executionId === iteration.executionId &&
          listStepEvents(step).some(({ sequenceNumber }) => sequenceNumber === at.sequenceNumber);
        const row = (
          <StepRow
            key={step.key}
            step={step}
            isSameTime={timeOf(step) === timeOf(steps[index - 1])}
            isOpen={open.has(step.key)}
            toggle={() => toggle(step.key)}
            {...(isMarked && at?.lines && { marked: at.lines })}
          />
        );
        const child = step.kind === 'call' ? findChildExecution(step.call) : undefined;
        return child === undefined
          ? row
          : [row, <ChildBlock key={`${step.key}/child`} executionId={child} level={level + 1} />];
      })}
    </ol>
  );
}

/** A heading without the marks of markdown. */
function stripMarkdown(text: string): string {
  return MARKDOWN.test(text) ? plainWords(parseMarkdown(text.slice(0, 2 * HEADING))) : text;
}

/** Where the analysis stands that is all that an iteration has beside its heading. */
function onlyAnalysis(
  steps: readonly Step[],
  finding: 'above' | 'below' | undefined,
  view: () => SessionView | undefined,
): { href: string; words: string } | undefined {
  const [first, second] = steps;
  if (first?.kind !== 'event' || second !== undefined || first.event.status !== 'completed') return undefined;
  const { event } = first;
  const { eventType, content, executionId } = event;
  if (eventType !== 'final_analysis' && eventType !== 'executive_summary') return undefined;
  const isAtTop = [view()?.finalAnalysis, view()?.executiveSummary].includes(content);
  if (isAtTop && isWhole(event)) return { href: '#analysis', words: 'See above' };
  return finding && { href: `#found-${executionId}`, words: `See ${finding}` };
}

/** Whether an analysis was neither cut off nor forced. */
function isWhole(event: TimelineEvent): boolean {
  if (event.eventType !== 'final_analysis') return true;
  return !event.metadata.truncated && !event.metadata.forcedConclusion;
}

function onlyHeading(events: Iteration['events']['value'], heading: string): string {
  const isText = events.some(({ eventType }) => eventType === 'llm_response' || eventType === 'llm_thinking');
  return isText ? heading : 'Final analysis.';
}

/** A step without the words that the heading has: without its first sentence, or nothing. */
function withoutHeading(step: Step, events: Iteration['events']['value']): Step[] {
  if (step.kind !== 'event' || step.event.status === 'streaming') return [step];
  const { event } = step;
  const isText = event.eventType === 'llm_response' || event.eventType === 'llm_thinking';
  if (!isText || chooseIterationHeading(events) !== event.content.trim()) return [step];
  const split = splitHeading(event.content);
  if (split === undefined) return [step];
  return split.rest === '' ? [] : [{ ...step, event: { ...event, content: split.rest } }];
}

/** The time of the model, and of the longest of the tools, which run side by side. */
function tookText({ call }: Iteration, steps: readonly Step[]): string {
  const tools = steps.flatMap((step) =>
    step.kind === 'call' ? (step.result?.metadata.durationMs ?? 0) : [],
  );
  const model = call.value?.durationMs;
  if (model === undefined && tools.length === 0) return '';
  return durationText((model ?? 0) + Math.max(0, ...tools));
}

/** The steps of an agent that this one asked, below its call, which has its answer. */
function ChildBlock({ executionId, level }: { executionId: string; level: number }) {
  const { view, timeline } = useSession();
  const iterations = timeline.iterationsOf(executionId).value;
  const execution = listExecutions(view.value).find((one) => one.executionId === executionId);
  if (iterations.length === 0) return null;
  const finding = execution?.finalAnalysis ? 'above' : undefined;
  return (
    <li class={s.child}>
      {execution && (
        <p class={`${s.childName} ${parts.meta}`}>
          Steps of <Untrusted text={execution.agentName} />
        </p>
      )}
      <ol class={s.iterations}>
        {iterations.map((iteration) => (
          <IterationBlock key={iteration.key} iteration={iteration} finding={finding} level={level} />
        ))}
      </ol>
    </li>
  );
}

/** The component, which ignores renders of its parent with equal properties. */
function memo<P extends object>(render: FunctionComponent<P>): ComponentType<P> {
  return class Memo extends Component<P> {
    override shouldComponentUpdate(next: P): boolean {
      return Object.entries(next).some(([name, value]) => Reflect.get(this.props, name) !== value);
    }
    override render(): ComponentChildren {
      return h(render, this.props);
    }
  };
}
