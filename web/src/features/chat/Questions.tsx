// Questions about a session: stages with steps and answer. They do not change the analysis.

import { ApiError } from '../../../../shared/client/apiError.ts';
import type { SessionView, StageView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { canAct } from '../../frame/currentUser.ts';
import { useDraft } from '../../frame/drafts.ts';
import { countText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import { ErrorCode } from '../../parts/ErrorCode.tsx';
import parts from '../../parts/parts.module.css';
import { Status } from '../../parts/Status.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { Answer } from '../../session/analysis/Answer.tsx';
import { listTopExecutions } from '../../session/state/lanes.ts';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import { useControl } from '../../session/state/useControl.ts';
import { AgentSteps } from '../../session/steps/AgentSteps.tsx';
import s from './ask.module.css';

/** The questions. @param isShort Only questions and answers; nothing without any. */
export function Questions({ view, isShort = false }: { view: SessionView; isShort?: boolean }) {
  const questions = view.stages.filter(({ kind }) => kind === 'chat');
  if (isShort && questions.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="ask-title" id="ask">
      <div class={parts.panelHead}>
        <h2 id="ask-title">{isShort ? 'Questions' : 'Ask'}</h2>
        <span class={parts.meta}>{countText(questions.length, 'question')}</span>
      </div>
      <ol class={s.chat}>
        {questions.map((stage) => (
          <Question key={stage.stageId} stage={stage} />
        ))}
      </ol>
      {!canAct.value ? (
        <p class={s.askMore}>Only responders and admins can ask. Your role is viewer.</p>
      ) : isShort ? (
        <p class={s.askMore}>
          <a href={`/s/${view.sessionId}/ask`}>Ask another question</a>
        </p>
      ) : (
        <Field view={view} questions={questions} />
      )}
    </section>
  );
}

function Question({ stage }: { stage: StageView }) {
  const { timeline } = useSession();
  const [execution] = listTopExecutions(stage);
  const events = execution === undefined ? [] : timeline.iterationsOf(execution.executionId).value;
  const question = events
    .flatMap((iteration) => iteration.events.value)
    .find((event) => event.eventType === 'user_question');
  const runs = !hasEnded(stage.status);
  return (
    <li>
      <p class={s.question}>
        <b>
          <Untrusted text={question?.metadata.askedBy ?? 'Unknown user'} />
        </b>
        <Untrusted text={question?.content ?? 'asked a question'} />
      </p>
      {(execution?.toolCalls ?? 0) > 0 && (
        <details class={s.chatSteps}>
          <summary>{countText(execution?.toolCalls ?? 0, 'tool call')}</summary>
          <AgentSteps execution={execution} level={3} />
        </details>
      )}
      {runs && <Status status="in_progress" />}
      {execution?.finalAnalysis && <Answer source={execution.finalAnalysis} />}
      {execution?.failure && (
        <p class={`${parts.box} ${parts.fail}`}>
          <ErrorCode code={execution.failure.code} /> <Untrusted text={execution.failure.message} />
        </p>
      )}
    </li>
  );
}

function Field({ view, questions }: { view: SessionView; questions: StageView[] }) {
  const { refreshNow, resumeStream } = useSession();
  const { outcome, send } = useControl();
  const { text, write, clear } = useDraft(`ask.${view.sessionId}`);
  const isAnswering = questions.some(({ status }) => !hasEnded(status));
  const canAsk = hasEnded(view.status);
  const { sessionId } = view;
  const stop = () =>
    send(
      () => api.post('/v1/sessions/{sessionId}/cancel', { sessionId }, {}),
      () => '',
    );
  const ask = async () => {
    const question = text.value.trim();
    if (question === '' || isAnswering || isOffline.value) return;
    const body = { text: question, watch: true };
    const error = await send(
      () => api.post('/v1/sessions/{sessionId}/questions', { sessionId }, body),
      () => '',
    );
    if (error instanceof ApiError && error.code === 'SESSION_BUSY')
      outcome.value = 'Another question is being answered. Your text is kept.';
    if (error !== undefined) return;
    clear(question);
    await refreshNow();
    resumeStream();
  };
  return (
    <form
      class={s.askField}
      onSubmit={(event) => {
        event.preventDefault();
        void ask();
      }}
    >
      <label for="question" class={parts.meta}>
        The agent reads this session
        {view.seenBefore.length > 0 && ` and ${countText(view.seenBefore.length, 'earlier session')}`}.
        {!canAsk && ' You can ask when the session has ended.'}
      </label>
      <textarea
        id="question"
        class={parts.field}
        rows={3}
        value={text.value}
        disabled={!canAsk}
        placeholder="Why did it start at 09:12?"
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          void ask();
        }}
        onInput={(event) => write(event.currentTarget.value)}
      />
      <div class={parts.actions}>
        {isAnswering ? (
          <button type="button" class={parts.button} onClick={() => void stop()}>
            Answering … (Stop)
          </button>
        ) : (
          <button
            type="submit"
            class={`${parts.button} ${parts.primary}`}
            disabled={!canAsk || isOffline.value}
          >
            Ask
          </button>
        )}
        <span role="status">{outcome.value}</span>
      </div>
    </form>
  );
}
