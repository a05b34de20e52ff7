// The latest question of an agent to people, until a person answers it with an option or a text.

import type { EventOf, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { type Elicit, elicitAnswer, readElicit } from '../../../../shared/text/elicit.ts';
import { api } from '../../api/client.ts';
import { canAct } from '../../frame/currentUser.ts';
import { useDraft } from '../../frame/drafts.ts';
import { hasEnded } from '../../model/status.ts';
import { Icon } from '../../parts/Icon.tsx';
import parts from '../../parts/parts.module.css';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { isOffline } from '../../session/state/offline.ts';
import { useSession } from '../../session/state/sessionState.ts';
import { useControl } from '../../session/state/useControl.ts';
import s from './approval.module.css';

/** The card; nothing for a question of an older version, whose payload has any form. */
export function AgentQuestion({ view }: { view: SessionView }) {
  const event = useSession().asked.value;
  const asked = event && questionIn(event);
  return asked && <Question key={event.eventId} view={view} asked={asked} />;
}

function questionIn({ metadata }: EventOf<'action'>): Elicit | undefined {
  try {
    return readElicit(JSON.parse(metadata.payload ?? ''));
  } catch {
    return undefined;
  }
}

function Question({ view, asked }: { view: SessionView; asked: Elicit }) {
  const { sessionId, resumeStream } = useSession();
  const { outcome, send } = useControl();
  const { text, write, clear } = useDraft(`asked.${view.sessionId}`);
  const answer = async (words: string) => {
    const message = elicitAnswer(asked, words);
    // Agents that run read guidance; afterwards the session is asked.
    const error = hasEnded(view.status)
      ? await send(
          () => api.post('/v1/sessions/{sessionId}/questions', { sessionId }, { text: message, watch: true }),
          () => 'Sent as your question.',
        )
      : await send(
          () => api.post('/v1/sessions/{sessionId}/guidance', { sessionId }, { text: message }),
          () => 'Sent. Each agent reads it before its next model call.',
        );
    if (error !== undefined) return;
    clear(words);
    resumeStream();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (text.value.trim() !== '') void answer(text.value.trim());
  };
  return (
    <section class={s.approval} aria-labelledby="asked-title" data-asked>
      <h2 id="asked-title">
        <Icon name="speech" /> An agent asks
      </h2>
      <p class={s.asked}>
        <Untrusted text={asked.question} />
      </p>
      {canAct.value && (
        <form class={s.answers} onSubmit={submit}>
          {asked.options.map((option) => (
            <button
              key={option}
              type="button"
              class={parts.button}
              disabled={isOffline.value}
              onClick={() => void answer(option)}
            >
              <Untrusted text={option} />
            </button>
          ))}
          <input
            class={parts.field}
            aria-label="Your answer"
            placeholder="Your answer"
            value={text.value}
            onInput={(event) => write(event.currentTarget.value)}
          />
          <button type="submit" class={parts.button} disabled={isOffline.value}>
            Send
          </button>
        </form>
      )}
      <p class={parts.meta} role="status">
        {outcome.value}
      </p>
    </section>
  );
}
