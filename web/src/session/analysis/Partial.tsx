// Findings without analysis: the stored text, and each agent's last calls and words.

import type { ExecutionView, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { Markdown } from '../../markdown/Markdown.tsx';
import { stepId } from '../../model/address.ts';
import { countText, firstLines } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { type CallStep, groupSteps, parseArgumentPairs, shortName } from '../../model/steps.ts';
import { ErrorCode } from '../../parts/ErrorCode.tsx';
import { Status } from '../../parts/Status.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { listExecutions } from '../state/sentences.ts';
import { useSession } from '../state/sessionState.ts';
import s from './analysis.module.css';

/** Calls of each agent that are named: the last ones. */
const CALLS = 5;
/** Agents whose work is shown; the steps have the others. */
const AGENTS = 8;
/** Where the stored text starts to list the work of agents, which is shown from the steps. */
const RECORD = /(?:^|\n\n)(?:What was looked at |### )/;

/** The part of the panel; absent when it would repeat the reason of the end. */
export function Partial({ view }: { view: SessionView }) {
  const { partial, failure, finalAnalysis } = view;
  if (partial === null) return null;
  const without = listExecutions(view).filter(
    (one) => one.finalAnalysis === null && hasEnded(one.status) && one.iteration > 0,
  );
  const hasRecord = RECORD.test(partial.text);
  const intro = partial.text.split(RECORD)[0]?.trim() ?? '';
  const isNew = intro !== '' && intro !== failure?.message;
  const agents = hasRecord && finalAnalysis === null ? without : [];
  if (!isNew && agents.length === 0) return null;
  return (
    <section class={`${s.part} ${s.partial}`}>
      <h3>Partial result</h3>
      {isNew && <Markdown source={intro} />}
      {agents.slice(0, AGENTS).map((execution) => (
        <Work key={execution.executionId} execution={execution} sessionFailure={failure?.message} />
      ))}
      {agents.length > AGENTS && (
        <p>
          <a href="#steps">{countText(agents.length - AGENTS, 'further agent')} without an analysis</a>
        </p>
      )}
    </section>
  );
}

interface WorkProps {
  execution: ExecutionView;
  sessionFailure: string | undefined;
}

function Work({ execution, sessionFailure }: WorkProps) {
  const { timeline } = useSession();
  const { agentName, executionId, status, failure } = execution;
  const own =
    timeline.size.value === 0 ? [] : timeline.all().filter((one) => one.executionId === executionId);
  const calls = groupSteps(own).filter((step) => step.kind === 'call');
  const last = own.findLast(({ eventType }) => eventType === 'llm_response');
  return (
    <div class={s.work}>
      <h4>
        <Untrusted text={agentName} /> <Status status={status} plain />
      </h4>
      {failure !== null && failure.message !== sessionFailure && (
        <p>
          <ErrorCode code={failure.code} /> <Untrusted text={failure.message} />
        </p>
      )}
      {calls.length > CALLS && (
        <p>
          The last {CALLS} of {calls.length} calls:
        </p>
      )}
      <ul>
        {calls.slice(-CALLS).map((step) => (
          <Call key={step.key} step={step} />
        ))}
      </ul>
      {last && (
        <p>
          Last response: <Untrusted text={firstLines(last.content, 300)} />
        </p>
      )}
    </div>
  );
}

function Call({ step: { call, result } }: { step: CallStep }) {
  const { toolName, arguments: given } = call.metadata;
  const outcome =
    result === undefined
      ? 'no result'
      : result.metadata.isError
        ? firstLines(result.content, 160)
        : countText(result.lines, 'line');
  return (
    <li>
      <a href={`#${stepId(call)}`}>
        <bdi>{shortName(toolName)}</bdi>
      </a>
      {parseArgumentPairs(given).map(([name, value]) => (
        <span key={name}>
          {' '}
          <i>{name}</i> <Untrusted text={firstLines(value, 80)} />
        </span>
      ))}
      {' · '}
      <Untrusted text={outcome} />
    </li>
  );
}
