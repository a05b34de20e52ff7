// Questions about a session: each is a stage with its own steps and its answer. A question changes nothing of what was found.

import { useSignal } from '@preact/signals';
import type { SessionView, StageView } from '../../../shared/api/types.ts';
import { ApiError, postJson } from '../api/client.ts';
import { mayAct } from '../frame/me.ts';
import { Markdown } from '../markdown/Markdown.tsx';
import { countText } from '../model/format.ts';
import { hasEnded } from '../model/status.ts';
import { Foreign } from '../parts/Foreign.tsx';
import parts from '../parts/parts.module.css';
import { Status } from '../parts/Status.tsx';
import s from './ask.module.css';
import { readDraft, writeDraft } from './state/drafts.ts';
import { topOf } from './state/lanes.ts';
import { isOffline } from './state/offline.ts';
import { useSession } from './state/sessionState.ts';
import { AgentSteps } from './steps/AgentSteps.tsx';

/** The chat. @param isShort Questions and answers alone, without the field, and nothing when there are none. */
export function Ask({ view, isShort = false }: { view: SessionView; isShort?: boolean }) {
  const questions = view.stages.filter(({ kind }) => kind === 'chat');
  if (isShort && questions.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="ask-title" id="ask">
      <div class={parts.panelHead}>
        <h2 id="ask-title">{isShort ? 'Questions' : 'Ask about it'}</h2>
        <span class={parts.meta}>{countText(questions.length, 'question')}</span>
      </div>
      <ol class={s.chat}>
        {questions.map((stage) => (
          <Question key={stage.stageId} stage={stage} />
        ))}
      </ol>
      {!mayAct.value ? (
        <p class={s.askMore}>Responders and admins may ask. You are a viewer.</p>
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
  const [execution] = topOf(stage);
  const events = execution === undefined ? [] : timeline.iterationsOf(execution.executionId).value;
  const asked = events
    .flatMap((iteration) => iteration.events.value)
    .find(({ eventType }) => eventType === 'user_question');
  const runs = !hasEnded(stage.status);
  return (
    <li>
      <p class={s.question}>
        <b>
          <Foreign text={String(asked?.metadata.askedBy ?? 'Somebody')} />
        </b>
        <Foreign text={asked?.content ?? 'asked a question'} />
      </p>
      {(execution?.toolCalls ?? 0) > 0 && (
        <details class={s.chatSteps}>
          <summary>{countText(execution?.toolCalls ?? 0, 'tool call')}</summary>
          <AgentSteps execution={execution} level={3} />
        </details>
      )}
      {runs && <Status status="in_progress" />}
      {execution?.finalAnalysis && <Markdown source={execution.finalAnalysis} />}
      {execution?.failure && (
        <p class={`${parts.box} ${parts.fail}`}>
          <b>{execution.failure.code}</b> <Foreign text={execution.failure.message} />
        </p>
      )}
    </li>
  );
}

function Field({ view, questions }: { view: SessionView; questions: StageView[] }) {
  const { path, readView, followOn } = useSession();
  const key = `ask.${view.sessionId}`;
  const text = useSignal(readDraft(key));
  const said = useSignal('');
  const isBusy = questions.some(({ status }) => !hasEnded(status));
  const canAsk = hasEnded(view.status);
  const send = async () => {
    const question = text.value.trim();
    if (question === '' || isBusy || isOffline.value) return;
    try {
      await postJson(`${path}/questions`, { text: question, watch: true });
      text.value = '';
      writeDraft(key, '');
      said.value = '';
      await readView();
      followOn();
    } catch (error) {
      const isTaken = error instanceof ApiError && error.code === 'SESSION_BUSY';
      said.value = isTaken
        ? 'Another question is being answered. Yours is kept here.'
        : (error as Error).message;
    }
  };
  const stop = async () => {
    try {
      await postJson(`${path}/cancel`, {});
      await readView();
    } catch (error) {
      said.value = (error as Error).message;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    void send();
  };
  return (
    <form
      class={s.askField}
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label for="question" class={parts.meta}>
        It sees this session
        {view.seenBefore.length > 0 && ` and ${countText(view.seenBefore.length, 'earlier one')}`}.
        {!canAsk && ' It can be asked when the session has ended.'}
      </label>
      <textarea
        id="question"
        class={parts.field}
        rows={3}
        value={text.value}
        disabled={!canAsk}
        placeholder="Why did it start at 09:12?"
        onKeyDown={onKeyDown}
        onInput={(event) => {
          text.value = event.currentTarget.value;
          writeDraft(key, text.value);
        }}
      />
      <div class={parts.actions}>
        {isBusy ? (
          <button type="button" class={parts.button} onClick={() => void stop()}>
            Asking … (Stop)
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
        <span role="status">{said.value}</span>
      </div>
    </form>
  );
}
