// Starts an investigation or a chat: an alert, or a question, with a preview of its route.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AlertPreview } from '../../../shared/lists/apiTypes.ts';
import { api, asError } from '../api/client.ts';
import { readExample } from '../api/exampleAlert.ts';
import { awaitAlertSession } from '../api/sentAlert.ts';
import { canAct, isOff } from '../frame/currentUser.ts';
import { useDraft } from '../frame/drafts.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { ChainChoice } from '../parts/ChainChoice.tsx';
import { Note, Problem } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { Preview } from './Preview.tsx';
import s from './start.module.css';

/** The page. */
export function StartPage() {
  return (
    <>
      <PageHead title="New investigation" />
      <div class={frame.page}>
        {canAct.value ? <Start /> : <Note>This requires the role responder.</Note>}
      </div>
    </>
  );
}

/** The input and its actions. */
function useStart() {
  const { route } = useLocation();
  const { text, write, clear } = useDraft('start');
  const left = useMemo(() => new AbortController(), []);
  useEffect(() => () => left.abort(), [left]);
  const chain = useSignal('');
  const preview = useSignal<AlertPreview | undefined>(undefined);
  const error = useSignal<Error | undefined>(undefined);
  /** The session that the alert joined. */
  const joined = useSignal('');
  const doing = useSignal('');
  /** Does one thing at a time, and shows its failure. */
  const act = async (words: string, work: () => Promise<void>) => {
    doing.value = words;
    error.value = undefined;
    joined.value = '';
    try {
      await work();
    } catch (cause) {
      error.value = asError(cause);
    }
    doing.value = '';
  };
  const setText = (written: string) => {
    write(written);
    preview.value = undefined;
  };
  const setChain = (name: string) => {
    chain.value = name;
    preview.value = undefined;
  };
  const chosen = () => chain.value || undefined;
  const show = () =>
    act('Reading the alert', async () => {
      preview.value = undefined;
      const previewed = [text.peek(), chosen()] as const;
      const read = await api.post('/v1/alerts/preview', { chain: previewed[1] }, previewed[0]);
      // The text or the chain has changed since the request.
      if (text.peek() === previewed[0] && chosen() === previewed[1]) preview.value = read;
    });
  const send = () =>
    act('Sending the alert', async () => {
      const alert = text.peek();
      const sent = await api.post('/v1/alerts', { chain: chosen() }, alert);
      clear(alert.trim());
      doing.value = 'The alert was sent. Waiting for its session';
      const found = await awaitAlertSession(sent, left.signal);
      if (found?.isJoined) joined.value = found.sessionId;
      else if (found !== undefined) route(`/s/${found.sessionId}`);
    });
  const ask = () =>
    act('Asking', async () => {
      const question = text.peek();
      const { sessionId } = await api.post('/v1/chats', {}, { text: question, chain: chosen() });
      clear(question.trim());
      if (!left.signal.aborted) route(`/s/${sessionId}`);
    });
  return { text, setText, chain, setChain, preview, error, joined, doing, show, send, ask };
}

function Start() {
  const { text, setText, chain, setChain, preview, error, joined, doing, show, send, ask } = useStart();
  const isDisabled = doing.value !== '' || text.value.trim() === '';
  const button = (name: string, act: () => Promise<void>) => (
    <button type="button" class={parts.button} disabled={isDisabled} onClick={() => void act()}>
      {name}
    </button>
  );
  return (
    <div class={s.start}>
      <label class={s.field}>
        An alert as its source sends it, or a question
        <textarea
          class={parts.field}
          rows={12}
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
      </label>
      <ChainChoice chain={chain.value} set={setChain} />
      <div class={parts.actions}>
        {text.value === '' && (
          <button
            type="button"
            class={parts.button}
            onClick={() => void readExample().then((example) => setText(example.text))}
          >
            Fill in an example
          </button>
        )}
        {button('Preview the alert', show)}
        {button('Send as an alert', send)}
        {!isOff('chat') && button('Ask as a question', ask)}
        <span class={parts.meta} role="status">
          {doing.value && `${doing.value} …`}
        </span>
      </div>
      {error.value && <Problem error={error.value} />}
      {joined.value && (
        <Note>
          No new session: the alert joined <a href={`/s/${joined.value}`}>a session about the same problem</a>
          , which counts it. To investigate it again, select “Run again” there.
        </Note>
      )}
      {preview.value && <Preview preview={preview.value} />}
    </div>
  );
}
