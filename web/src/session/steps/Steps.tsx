// The steps of a session: by stage, agent and iteration.

import { computed } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type {
  ExecutionView,
  PlannedStage,
  SessionView,
  StageView,
} from '../../../../shared/lists/apiTypes.ts';
import { serverNow, tick } from '../../api/clock.ts';
import { withParameter } from '../../model/address.ts';
import { countText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { countSteps, groupSteps, STEP_KINDS, type StepKind } from '../../model/steps.ts';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { statusShown } from '../../parts/statusDisplay.ts';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Word } from '../../words/Word.tsx';
import s from '../rows/steps.module.css';
import { foldAll } from '../state/folding.ts';
import { moveToFault } from '../state/keyboardMoves.ts';
import { listTopExecutions, plannedName, stageName } from '../state/lanes.ts';
import { describeNow } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import { filter, isFiltered, type StepFilter, showsCalls } from '../state/stepFilter.ts';
import { AgentName } from './AgentName.tsx';
import { AgentSteps } from './AgentSteps.tsx';
import lanes from './lanes.module.css';
import { holdsAgent, toolNames } from './matchesFilter.ts';
import { Notices } from './Notices.tsx';
import { StepsMissing, StepsReading } from './StepsReading.tsx';
import { byStage, listNotices, type Notice } from './sessionNotices.ts';

const NAMES: Record<StepKind, string> = {
  all: 'All',
  tools: 'Tools',
  thinking: 'Thinking',
  says: 'Responses',
  errors: 'Errors',
};

/** The section of steps. */
export function Steps({ view }: { view: SessionView }) {
  const { timeline } = useSession();
  const stages = view.stages.filter(({ kind }) => kind !== 'chat');
  const main = stages.filter(({ kind }) => kind === 'investigation' || kind === 'synthesis');
  const { agent } = filter.value;
  const [first, ...others] = main;
  /** The only stage, if it has one agent: its steps need no headings. */
  const only =
    first && others.length + view.planned.length === 0 && listTopExecutions(first).length === 1
      ? first
      : undefined;
  const notices = byStage(isFiltered(filter.value) ? [] : listNotices(view, timeline), stages);
  const during = ({ stageId }: StageView) => notices.during.get(stageId) ?? [];
  return (
    <section id="steps" aria-labelledby="steps-title">
      <div class={parts.panel}>
        <div class={parts.panelHead}>
          <h2 id="steps-title">Steps</h2>
          <span class={parts.meta}>
            {only ? (
              <AgentFacts stage={only} />
            ) : (
              <Word name="stage" text={countText(stages.length + view.planned.length, 'stage')} />
            )}
          </span>
          <StepsReading />
          <span class={s.headActs}>
            <CallsShown />
            <FoldAll />
          </span>
        </div>
        <Toolbar view={view} />
        <Notices notices={notices.before} />
        {only && <AgentSteps execution={listTopExecutions(only)[0]} level={3} notices={during(only)} />}
      </div>
      {stages.map((stage, index) =>
        stage === only ? null : (
          <Stage
            key={stage.stageId}
            stage={stage}
            place={`stage ${index + 1} of ${stages.length + view.planned.length}`}
            agent={agent}
            notices={during(stage)}
          />
        ),
      )}
      {!isFiltered(filter.value) &&
        view.planned.map((stage, index) => (
          <Planned key={index} stage={stage} isFirst={stages.length + index === 0} />
        ))}
      {!hasEnded(view.status) && view.status !== 'deferred' && <NowRow view={view} />}
      <StepsMissing />
      <div id="steps-end" />
    </section>
  );
}

function AgentFacts({ stage }: { stage: StageView }) {
  const [execution] = listTopExecutions(stage);
  if (execution === undefined) return null;
  const { iteration, toolCalls } = execution;
  return (
    <>
      <AgentName execution={execution} /> · {countText(iteration, 'iteration')} ·{' '}
      {countText(toolCalls, 'tool call')}
    </>
  );
}

/** Shows or hides the facts of model calls. */
function CallsShown() {
  const { route } = useLocation();
  const toggle = () => {
    showsCalls.value = !showsCalls.value;
    route(withParameter(location.href, 'calls', showsCalls.value ? '1' : ''), true);
  };
  return (
    <button type="button" class={parts.quiet} aria-pressed={showsCalls.value} onClick={toggle}>
      Tokens and cost
    </button>
  );
}

function FoldAll() {
  const { timeline } = useSession();
  // Evaluated again as iterations are added.
  const isAnyFolded = timeline.size.value > 0 && timeline.peekAll().some(({ isOpen }) => !isOpen.value);
  return (
    <button type="button" class={parts.quiet} onClick={() => foldAll(timeline, isAnyFolded)} data-fold-all>
      {isAnyFolded ? 'Unfold all' : 'Fold all'}
    </button>
  );
}

/** Steps by kind, counted as they come, and the tools that are called. */
function useCounts() {
  const { timeline } = useSession();
  return useMemo(
    () =>
      computed(() => {
        const counts: Record<StepKind, number> = { all: 0, tools: 0, thinking: 0, says: 0, errors: 0 };
        if (timeline.size.value === 0) return { counts, tools: [] };
        const lists = timeline.peekAll().map(({ events }) => groupSteps(events.peek()));
        for (const steps of lists) {
          const own = countSteps(steps);
          for (const kind of STEP_KINDS) counts[kind] += own[kind];
        }
        return { counts, tools: toolNames(lists.flat()) };
      }),
    [timeline],
  );
}

/** A choice of one of several names; nothing where there is no choice. */
function Narrow(props: {
  what: string;
  names: readonly string[];
  value: string;
  set: (value: string) => void;
}) {
  const { what, names, value, set } = props;
  if (names.length < 2 && value === '') return null;
  return (
    <select
      class={parts.select}
      aria-label={`By ${what}`}
      value={value}
      onChange={(event) => set(event.currentTarget.value)}
    >
      <option value="">Any {what}</option>
      {[...new Set([...names, ...(value === '' ? [] : [value])])].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

function Toolbar({ view }: { view: SessionView }) {
  const { route } = useLocation();
  const { isRead } = useSession();
  const { counts, tools } = useCounts().value;
  const { kind, text, agent, tool } = filter.value;
  const stages = view.stages.filter(({ kind }) => kind === 'investigation' || kind === 'synthesis');
  const agents = [
    ...new Set(stages.flatMap(({ executions }) => executions.map(({ agentName }) => agentName))),
  ];
  /** Narrows the steps. @param name The parameter of the address. */
  const set = (change: Partial<StepFilter>, name: string, value: string) => {
    filter.value = { ...filter.value, ...change };
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
            onClick={() => set({ kind: one }, 'show', one)}
          >
            {NAMES[one]} <b>{isRead.value ? counts[one] : '…'}</b>
          </button>
        ))}
      </div>
      <input
        type="search"
        class={`${parts.field} ${s.searchIn}`}
        placeholder="Search"
        aria-label="Search in steps"
        data-search
        defaultValue={text}
        onInput={({ currentTarget: { value } }) => set({ text: value.trim().toLowerCase() }, 'q', value)}
      />
      <Narrow
        what="agent"
        names={agents}
        value={agent}
        set={(value) => set({ agent: value }, 'agent', value)}
      />
      <Narrow what="tool" names={tools} value={tool} set={(value) => set({ tool: value }, 'tool', value)} />
      {counts.errors > 0 && (
        <button type="button" class={parts.quiet} onClick={() => moveToFault(1)}>
          <Icon name="failed" /> Next error
        </button>
      )}
    </div>
  );
}

/** The last row: the current activity. Its height does not depend on its words. */
function NowRow({ view }: { view: SessionView }) {
  const { status, lead, rest } = describeNow(view, Math.max(tick.value, serverNow()));
  const { icon, tone } = statusShown(status);
  return (
    <p class={`${s.now} ${parts[tone]}`} data-now-row>
      <Icon name={icon} {...(icon === 'ring' && { class: parts.spin ?? '' })} />
      <span>
        <b>
          <bdi>{lead}</bdi>
        </b>{' '}
        <bdi>{rest}</bdi>
      </span>
    </p>
  );
}

/** A stage that has not started. */
function Planned({ stage, isFirst }: { stage: PlannedStage; isFirst: boolean }) {
  const { agents } = stage;
  return (
    <section class={lanes.stage} aria-label={plannedName(stage)}>
      <div class={lanes.stageHead}>
        <h3>{plannedName(stage)}</h3>
        <span class={parts.meta}>
          <Untrusted text={agents.join(', ')} />
        </span>
      </div>
      <p class={s.coming}>
        <Icon name="dashed" /> {isFirst ? 'Has not started.' : 'Starts after the stages above.'}
      </p>
    </section>
  );
}

interface StageProps {
  stage: StageView;
  place: string;
  /** The agent that is filtered by; '' for all. */
  agent: string;
  /** Steps of the session in the time of this stage. */
  notices: readonly Notice[];
}

/** How many agents have finished; after that, how many of them found something. */
function describeProgress(top: readonly ExecutionView[]): string {
  const ended = top.filter(({ status }) => hasEnded(status));
  if (ended.length < top.length) return `${ended.length} of ${top.length} agents finished`;
  const found = ended.filter(({ finalAnalysis }) => finalAnalysis !== null);
  return `${found.length} of ${top.length} agents have a finding`;
}

function Stage({ stage, place, agent, notices }: StageProps) {
  const { view } = useSession();
  const top = listTopExecutions(stage);
  if (!top.some(({ executionId }) => holdsAgent(executionId, agent, view.value))) return null;
  const [only] = top;
  const id = `stage-${stage.stageId}`;
  return (
    <section class={lanes.stage} aria-labelledby={id}>
      <div class={lanes.stageHead}>
        <h3 id={id}>{stageName(stage)}</h3>
        <span class={parts.meta}>
          {place}
          {top.length > 1 || only === undefined ? (
            ` · ${describeProgress(top)}`
          ) : (
            <>
              {' · '}
              <AgentName execution={only} />
            </>
          )}
        </span>
      </div>
      {top.length > 1 ? (
        <div class={lanes.lanes}>
          {top.map((execution) => (
            <AgentSteps key={execution.executionId} execution={execution} isLane level={5} />
          ))}
        </div>
      ) : (
        <div class={parts.panel}>
          <AgentSteps execution={only} level={4} notices={notices} />
        </div>
      )}
      {top.length > 1 && <Notices notices={notices} isPanel />}
    </section>
  );
}
