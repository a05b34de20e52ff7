// Starts an investigation or a chat: a pasted or typed alert, or a question. The preview shows how the alert would be read and routed.

import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AlertPreview } from '../../../shared/api/types.ts';
import { ApiError, asError, getJson, postJson, postText } from '../api/client.ts';
import { useDraft } from '../frame/drafts.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { canAct } from '../frame/me.ts';
import { ChainChoice } from '../parts/ChainChoice.tsx';
import { Note, Problem } from '../parts/Problem.tsx';
import parts from '../parts/parts.module.css';
import { Preview } from './Preview.tsx';
import s from './start.module.css';

/** How long the page waits for the session of an alert, and how often it asks. */
const WAIT_MS = 60_000;
const ASK_MS = 1_000;
/** Every so many polls search for a dropped or refused alert, too. */
const POLLS_OF_SEARCH = 4;

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
  const doing = useSignal('');
  /** Does one thing at a time, and shows its failure. */
  const act = async (words: string, work: () => Promise<void>) => {
    doing.value = words;
    error.value = undefined;
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
  const query = () => (chain.value === '' ? '' : `?chain=${encodeURIComponent(chain.value)}`);
  const show = () =>
    act('Reading the alert', async () => {
      preview.value = undefined;
      const previewed = [text.peek(), query()] as const;
      const read = await postText<AlertPreview>(`/v1/alerts/preview${previewed[1]}`, previewed[0]);
      // The text or the chain has changed since the request.
      if (text.peek() === previewed[0] && query() === previewed[1]) preview.value = read;
    });
  const send = () =>
    act('Sending the alert', async () => {
      const alert = text.peek();
      const sent = await postText<SentAlert>(`/v1/alerts${query()}`, alert);
      clear(alert.trim());
      doing.value = 'The alert was sent. Waiting for its session';
      const sessionId = await sessionOf(sent, left.signal);
      if (sessionId !== undefined) route(`/s/${sessionId}`);
    });
  const ask = () =>
    act('Asking', async () => {
      const question = text.peek();
      const body = { text: question, ...(chain.value !== '' && { chain: chain.value }) };
      const { sessionId } = await postJson<{ sessionId: string }>('/v1/chats', body);
      clear(question.trim());
      if (!left.signal.aborted) route(`/s/${sessionId}`);
    });
  return { text, setText, chain, setChain, preview, error, doing, show, send, ask };
}

function Start() {
  const { text, setText, chain, setChain, preview, error, doing, show, send, ask } = useStart();
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
        {button('Preview the alert', show)}
        {button('Send as an alert', send)}
        {button('Ask as a question', ask)}
        <span class={parts.meta} role="status">
          {doing.value && `${doing.value} …`}
        </span>
      </div>
      {error.value && <Problem error={error.value} />}
      {preview.value && <Preview preview={preview.value} />}
    </div>
  );
}

/** How an alert is found after it was sent. */
interface SentAlert {
  messageId: string;
  alertKey: string;
}

/** The outcome of an alert. */
interface Outcome {
  /** Null for an alert without a session. */
  sessionId: string | null;
  /** Why it has none. */
  reason: string | null;
}

/**
 * Waits for the session of an alert that was sent, for at most a minute.
 * @returns undefined when the page was left.
 * @throws Error when the alert gets no session, when its outcome cannot be read, and after a minute.
 */
async function sessionOf({ alertKey, messageId }: SentAlert, left: AbortSignal): Promise<string | undefined> {
  const path = `/v1/alerts/${alertKey}`;
  const withSearch = `${path}?messageId=${encodeURIComponent(messageId)}`;
  const end = performance.now() + WAIT_MS;
  for (let polls = 1; performance.now() < end && !left.aborted; polls++) {
    // The search for a dropped or refused alert reads many documents.
    const outcome = await readOutcome(polls % POLLS_OF_SEARCH === 0 ? withSearch : path, left);
    if (outcome?.sessionId) return outcome.sessionId;
    if (outcome !== undefined)
      throw new Error(`The alert was sent, but not investigated: ${outcome.reason ?? 'no reason is stored'}`);
    await new Promise((resolve) => setTimeout(resolve, ASK_MS));
  }
  if (left.aborted) return undefined;
  throw new Error('The alert was sent, but has no session yet. The list of sessions shows it later.');
}

/** Undefined while there is no outcome, and after a transient error. @throws Error that a retry does not solve. */
async function readOutcome(path: string, left: AbortSignal): Promise<Outcome | undefined> {
  try {
    return await getJson<Outcome>(path, left);
  } catch (cause) {
    if (left.aborted || (cause instanceof ApiError && isTransient(cause))) return undefined;
    throw new Error(`The alert was sent, but its session cannot be read: ${asError(cause).message}`);
  }
}

/** Whether a later request can succeed: no response, no outcome yet (404), too many requests, or an error of the server. */
const isTransient = ({ status }: ApiError) => [0, 404, 429].includes(status) || status >= 500;
