// The steps of an agent: a list of iterations, or a lane with head and finding beside other lanes.

import { useSignal } from '@preact/signals';
import type { ExecutionView } from '../../../../shared/lists/apiTypes.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { parseMarkdown, plainWords } from '../../markdown/parse.ts';
import { clockText, countText, firstLines, numberText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { ErrorCode } from '../../parts/ErrorCode.tsx';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Status } from '../../parts/Status.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Word } from '../../words/Word.tsx';
import s from '../rows/steps.module.css';
import { toggleFolding } from '../state/folding.ts';
import { foldsLane, laneLetters, laneTone } from '../state/lanes.ts';
import { useSession } from '../state/sessionState.ts';
import { filter, isFiltered } from '../state/stepFilter.ts';
import { AgentName } from './AgentName.tsx';
import { IterationBlock } from './IterationBlock.tsx';
import lanes from './lanes.module.css';
import { holdsAgent } from './matchesFilter.ts';
import { Notices } from './Notices.tsx';
import { interleave, type Notice } from './sessionNotices.ts';

/** From this many iterations on, unseen ones have no layout, in long sessions no rows. */
const LARGE = 40;

/** The activity of an agent before its first step. */
function comingText({ status, waitsForModelSince }: ExecutionView): string {
  if (status === 'pending') return 'Waiting for a function.';
  return waitsForModelSince === null
    ? 'Calling the model for the first time.'
    : `Waiting for the model since ${clockText(waitsForModelSince)}.`;
}

/** An agent's iterations. @param isLane Whether others stand beside it. */
export function AgentSteps({
  execution,
  isLane = false,
  level,
  notices = [],
}: {
  execution: ExecutionView | undefined;
  isLane?: boolean;
  /** Of the headings of its iterations. */
  level: number;
  /** Steps of the session, which stand between the iterations. Default: none. */
  notices?: readonly Notice[];
}) {
  const { timeline, view } = useSession();
  const isUnfolded = useSignal(false);
  if (execution === undefined) return <Coming text="No agent has started." />;
  const { executionId, status, failure } = execution;
  if (!holdsAgent(executionId, filter.value.agent, view.value)) return null;
  const iterations = timeline.iterationsOf(executionId).value;
  const letter = view.value && laneLetters(view.value).get(executionId);
  const list = (
    <ol
      class={
        iterations.length > LARGE && !timeline.isLong.value ? `${s.iterations} ${s.large}` : s.iterations
      }
    >
      {interleave(iterations, notices).flatMap(({ notices: before, iteration }) => [
        before.length > 0 && (
          <li key={`before ${iteration?.key ?? 'the end'}`}>
            <Notices notices={before} />
          </li>
        ),
        iteration && (
          <IterationBlock
            key={iteration.key}
            iteration={iteration}
            finding={isLane ? 'below' : undefined}
            level={level}
          />
        ),
      ])}
    </ol>
  );
  const coming = iterations.length === 0 && !hasEnded(status) && <Coming text={comingText(execution)} />;
  // The cause of the session's failure stands at its top.
  const isOfSession = failure !== null && !isLane && failure.message === view.value?.failure?.message;
  const failed = failure !== null && !isOfSession && (
    <div class={`${s.found} ${parts.fail}`}>
      <ErrorCode code={failure.code} /> <Untrusted text={failure.message} />
    </div>
  );
  if (!isLane || letter === undefined)
    return (
      <>
        {list}
        {coming}
        {failed}
      </>
    );
  const { agentName, iteration, toolCalls, tokens, finalAnalysis } = execution;
  const isFolded =
    view.value !== undefined &&
    foldsLane(view.value, execution) &&
    !isUnfolded.value &&
    !isFiltered(filter.value) &&
    iterations.every(({ isOpen }) => !isOpen.value);
  return (
    <article
      tabIndex={-1}
      class={`${parts.panel} ${lanes.lane} ${lanes[`tone-${laneTone(letter)}`]}`}
      data-folded={isFolded}
      aria-label={`Agent ${letter}, ${agentName}`}
    >
      <div class={lanes.laneHead}>
        <span class={lanes.letter}>{letter}</span>
        <div>
          <h4>
            <AgentName execution={execution} />
          </h4>
          <p class={parts.meta}>
            <Word name="iteration" /> {iteration} · {countText(toolCalls, 'tool')} ·{' '}
            {numberText(tokens.total)} tokens
          </p>
        </div>
        <Status status={status} plain={status === 'completed'} />
      </div>
      {isFolded && (
        <button
          type="button"
          class={lanes.finding}
          aria-expanded={false}
          data-iteration
          onClick={({ currentTarget }) => {
            isUnfolded.value = true;
            for (const iteration of iterations) toggleFolding(iteration);
            currentTarget.closest('article')?.focus();
          }}
        >
          <span>
            <Untrusted text={describeAgentFinding(execution)} />
          </span>
          <Icon name="right" />
        </button>
      )}
      {!isFolded && list}
      {coming}
      {!isFolded && failed}
      {!isFolded && finalAnalysis !== null && !isFiltered(filter.value) && (
        <div class={s.found} id={`found-${executionId}`}>
          <b>Finding</b>
          <div class={s.foundText} tabIndex={0} role="region" aria-label={`Finding of ${agentName}`}>
            <Markdown source={finalAnalysis} />
          </div>
        </div>
      )}
    </article>
  );
}

/** The finding of an agent on one line, or why there is none. */
function describeAgentFinding({ finalAnalysis, failure, status }: ExecutionView): string {
  if (finalAnalysis !== null) return firstLines(plainWords(parseMarkdown(finalAnalysis.slice(0, 600))), 240);
  return failure === null ? status : `${failure.code}: ${failure.message}`;
}

function Coming({ text }: { text: string }) {
  return (
    <p class={s.coming}>
      <Icon name="dashed" /> {text}
    </p>
  );
}
