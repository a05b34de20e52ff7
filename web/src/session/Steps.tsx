// The steps of a session: by stage, agent and iteration.

import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { SessionView, StageView } from '../../../shared/api/types.ts';
import { withParameter } from '../model/address.ts';
import { countText } from '../model/format.ts';
import { hasEnded } from '../model/status.ts';
import { isFault, isOfKind, STEP_KINDS, type StepKind, stepsOf } from '../model/steps.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import { AgentSteps } from './AgentSteps.tsx';
import { stageName, topOf } from './lanes.ts';
import { filter } from './looking.ts';
import { moveToFault } from './moves.ts';
import { StepRow } from './StepRow.tsx';
import { useSession } from './sessionState.ts';
import s from './steps.module.css';

const NAMES: Record<StepKind, string> = {
  all: 'All',
  tools: 'Tools',
  thinking: 'Thinking',
  says: 'Says',
  errors: 'Errors',
};

/** The section of steps. */
export function Steps({ view }: { view: SessionView }) {
  const stages = view.stages.filter(({ kind }) => kind !== 'chat');
  const main = stages.filter(({ kind }) => kind === 'investigation' || kind === 'synthesis');
  const isPlain = main.length === 1 && topOf(main[0] as StageView).length === 1;
  return (
    <section id="steps" aria-labelledby="steps-title">
      <div class={parts.panel}>
        <div class={parts.panelHead}>
          <h2 id="steps-title">Steps</h2>
          <span class={parts.meta}>
            {isPlain ? <AgentFacts stage={main[0] as StageView} /> : countText(stages.length, 'stage')}
          </span>
          <FoldAll />
        </div>
        <Toolbar />
        <Around view={view} />
        {isPlain && <AgentSteps execution={topOf(main[0] as StageView)[0]} level={3} />}
      </div>
      {stages.map((stage, index) =>
        isPlain && stage === main[0] ? null : (
          <Stage
            key={stage.stageId}
            stage={stage}
            place={hasEnded(view.status) ? `stage ${index + 1} of ${stages.length}` : `stage ${index + 1}`}
          />
        ),
      )}
      <div id="steps-end" />
    </section>
  );
}

function AgentFacts({ stage }: { stage: StageView }) {
  const [execution] = topOf(stage);
  if (execution === undefined) return null;
  const { agentName, iteration, toolCalls } = execution;
  return (
    <>
      <bdi>{agentName}</bdi> · {countText(iteration, 'iteration')} · {countText(toolCalls, 'tool call')}
    </>
  );
}

function FoldAll() {
  const { timeline } = useSession();
  // Asked anew as iterations are added.
  const isAnyFolded = timeline.size.value > 0 && timeline.peekAll().some(({ isOpen }) => !isOpen.value);
  const set = () => {
    for (const { isOpen } of timeline.peekAll()) isOpen.value = isAnyFolded;
  };
  return (
    <button type="button" class={parts.quiet} onClick={set} data-fold-all>
      {isAnyFolded ? 'Unfold all' : 'Fold all'}
    </button>
  );
}

/** Steps by kind, counted as they come. */
function useCounts() {
  const { timeline } = useSession();
  return useMemo(
    () =>
      computed(() => {
        const counts: Record<StepKind, number> = { all: 0, tools: 0, thinking: 0, says: 0, errors: 0 };
        if (timeline.size.value === 0) return counts;
        for (const { events } of timeline.peekAll())
          for (const step of stepsOf(events.peek()))
            for (const kind of STEP_KINDS)
              if (kind === 'errors' ? isFault(step) : isOfKind(step, kind)) counts[kind]++;
        return counts;
      }),
    [timeline],
  );
}

function Toolbar() {
  const { route } = useLocation();
  const counts = useCounts().value;
  const { kind, text } = filter.value;
  const set = (name: string, value: string) => {
    filter.value =
      name === 'show'
        ? { ...filter.value, kind: value as StepKind }
        : { ...filter.value, text: value.trim().toLowerCase() };
    route(withParameter(location.href, name, value === 'all' ? '' : value), true);
  };
  return (
    <div class={s.toolbar} role="search">
      <div class={s.kinds}>
        {STEP_KINDS.map((one) => (
          <button
            key={one}
            type="button"
            class={parts.chip}
            aria-pressed={kind === one}
            onClick={() => set('show', one)}
          >
            {NAMES[one]} <b>{counts[one]}</b>
          </button>
        ))}
      </div>
      <input
        type="search"
        class={`${parts.field} ${s.searchIn}`}
        placeholder="Search in steps"
        aria-label="Search in steps"
        data-search
        defaultValue={text}
        onInput={(event) => set('q', event.currentTarget.value)}
      />
      {counts.errors > 0 && (
        <button type="button" class={parts.quiet} onClick={() => moveToFault(1)}>
          <Icon name="failed" /> Next error
        </button>
      )}
    </div>
  );
}

/** What was noted about the session and belongs to no agent: its runbook, pauses, further reports of the alert. */
function Around({ view }: { view: SessionView }) {
  const { timeline } = useSession();
  const known = new Set(
    view.stages.flatMap(({ executions }) => executions.map(({ executionId }) => executionId)),
  );
  const ids = timeline.size.value > 0 ? timeline.executionIds().filter((id) => !known.has(id)) : [];
  const called = ids.filter((id) => !id.includes('~'));
  const steps = called.flatMap((id) =>
    timeline.iterationsOf(id).value.flatMap((iteration) => stepsOf(iteration.events.value)),
  );
  const { kind, text } = filter.value;
  if (steps.length === 0 || kind !== 'all' || text !== '') return null;
  return (
    <ol class={s.rows} aria-label="About the session">
      {steps.map((step) => (
        <StepRow key={step.key} step={step} isSameTime={false} isOpen={true} toggle={() => {}} />
      ))}
    </ol>
  );
}

function Stage({ stage, place }: { stage: StageView; place: string }) {
  const top = topOf(stage);
  const done = top.filter(({ status }) => hasEnded(status)).length;
  const [only] = top;
  const id = `stage-${stage.stageId}`;
  return (
    <section class={s.stage} aria-labelledby={id}>
      <div class={s.stageHead}>
        <h3 id={id}>{stageName(stage)}</h3>
        <span class={parts.meta}>
          {place}
          {top.length > 1 ? ` · ${done} of ${top.length} agents done` : ` · ${only?.agentName ?? ''}`}
        </span>
      </div>
      {top.length > 1 ? (
        <div class={s.lanes}>
          {top.map((execution) => (
            <AgentSteps key={execution.executionId} execution={execution} isLane level={5} />
          ))}
        </div>
      ) : (
        <div class={parts.panel}>
          <AgentSteps execution={only} level={4} />
        </div>
      )}
    </section>
  );
}
