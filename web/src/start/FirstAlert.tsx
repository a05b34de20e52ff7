// An empty list's action: previews and sends the example alert, then shows its session.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { AlertPreview } from '../../../shared/lists/apiTypes.ts';
import { api, asError } from '../api/client.ts';
import { type ExampleAlert, readExample } from '../api/exampleAlert.ts';
import { awaitAlertSession, type FoundSession } from '../api/sentAlert.ts';
import { Problem } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { Untrusted } from '../parts/Untrusted.tsx';
import { Word } from '../words/Word.tsx';

/** The example, its preview and its button. */
export function FirstAlert() {
  const { example, preview, state, send } = useFirstAlert();
  const { value } = state;
  return (
    <>
      {preview.value && example.value && <Coming example={example.value} preview={preview.value} />}
      {value instanceof Error && <Problem error={value} />}
      <p class={parts.actions}>
        <button
          type="button"
          class={parts.button}
          disabled={example.value === undefined || value === 'sent'}
          onClick={() => void send()}
        >
          Send the example alert
        </button>
        <span role="status">
          {value === 'sent' && 'The alert was sent. Waiting for its session …'}
          {value && 'sessionId' in Object(value) && <Found found={value as FoundSession} />}
        </span>
      </p>
    </>
  );
}

/** The example with its preview, and how far it is. */
function useFirstAlert() {
  const left = useMemo(() => new AbortController(), []);
  const example = useSignal<ExampleAlert | undefined>(undefined);
  const preview = useSignal<AlertPreview | undefined>(undefined);
  const state = useSignal<Error | 'sent' | FoundSession | undefined>(undefined);
  /** Shows a failure, unless the page was left. */
  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (cause) {
      if (!left.signal.aborted) state.value = asError(cause);
    }
  };
  useEffect(() => {
    void attempt(async () => {
      example.value = await readExample();
      preview.value = await api.post('/v1/alerts/preview', {}, example.value.text);
    });
    return () => left.abort();
  }, [left]);
  const send = () =>
    attempt(async () => {
      state.value = 'sent';
      const sent = await api.post('/v1/alerts', {}, example.peek()?.text ?? '');
      state.value = await awaitAlertSession(sent, left.signal);
    });
  return { example, preview, state, send };
}

/** The alert as it would be read, and the agents that would work on it. */
function Coming({ example, preview }: { example: ExampleAlert; preview: AlertPreview }) {
  const { alert, investigated, triage, chain, stages } = preview;
  return (
    <p>
      {example.isOwn ? 'The example, test-alert.json of your configuration' : 'The example'}:{' '}
      <b>
        <Untrusted text={alert.title} />
      </b>
      , severity <Untrusted text={alert.severity ?? 'none'} />.{' '}
      {investigated ? (
        <>
          The <Word name="chain" /> <Untrusted text={chain} /> would investigate it:{' '}
          <Untrusted
            text={stages.map(({ name, agents }) => `${name} (${agents.join(', ')})`).join(', then ')}
          />
          .
        </>
      ) : (
        <>
          It would not be investigated: <Untrusted text={triage.text} />
        </>
      )}
    </p>
  );
}

function Found({ found: { sessionId, isJoined } }: { found: FoundSession }) {
  return (
    <>
      {isJoined ? 'The alert joined ' : 'The alert opened '}
      <a href={`/s/${encodeURIComponent(sessionId)}`}>
        {isJoined ? 'a session about the same problem' : 'its session'}
      </a>
      .
    </>
  );
}
