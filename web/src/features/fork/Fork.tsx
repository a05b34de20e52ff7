// Forks of a session: continues an agent from a step on, and shows a fork beside its source.

import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { listForkPlaces } from '../../../../shared/client/forkPlaces.ts';
import type { AnswerOf, SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { readSteps } from '../../api/readSteps.ts';
import { useResource } from '../../api/useResource.ts';
import { canAct } from '../../frame/currentUser.ts';
import { compareAddress } from '../../model/address.ts';
import { numberText } from '../../model/format.ts';
import { hasEnded } from '../../model/status.ts';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { isOffline } from '../../session/state/offline.ts';
import s from './fork.module.css';

type Comparison = AnswerOf<'GET /v1/sessions/{sessionId}/fork'>;
type Side = Comparison['fork'];
type Step = NonNullable<Comparison['first']>['fork'];

/** The panel of a session that has ended. */
export function Fork({ view: { sessionId, status, fork } }: { view: SessionView }) {
  const isOpen = useSignal(false);
  if (!hasEnded(status) || (fork === null && !canAct.value)) return null;
  return (
    <section class={parts.panel} aria-labelledby="fork-title">
      <div class={parts.panelHead}>
        <h2 id="fork-title">What if it had known this</h2>
        {fork !== null && (
          <a class={parts.meta} href={compareAddress(fork.of, sessionId)}>
            all differences
          </a>
        )}
      </div>
      <div class={s.fork}>
        {fork !== null && <Compared sessionId={sessionId} />}
        {canAct.value && !isOpen.value && (
          <button type="button" class={parts.button} onClick={() => (isOpen.value = true)}>
            Fork this session …
          </button>
        )}
        {isOpen.value && <ForkForm sessionId={sessionId} />}
      </div>
    </section>
  );
}

/** A fork beside its source. */
function Compared({ sessionId }: { sessionId: string }) {
  const compared = useResource(
    (left) => api.get('/v1/sessions/{sessionId}/fork', { sessionId }, left),
    [sessionId],
  );
  return (
    <Reading resource={compared} needs="viewer">
      {(value) => <Sides compared={value} />}
    </Reading>
  );
}

function Sides({ compared: { event, tools, source, fork, first } }: { compared: Comparison }) {
  const row = (name: string, show: (side: Side) => ComponentChildren) => (
    <tr>
      <th scope="row">{name}</th>
      <td>{source === null ? 'not readable any more' : show(source)}</td>
      <td>{show(fork)}</td>
    </tr>
  );
  return (
    <table class={s.sides}>
      <caption class={parts.meta}>
        Forked at <Untrusted text={event} />, with {tools} tools
      </caption>
      <thead>
        <tr>
          <th scope="col">{source === null ? 'Source' : <a href={`/s/${source.sessionId}`}>Source</a>}</th>
          <th scope="col">Fork</th>
        </tr>
      </thead>
      <tbody>
        {row('Verdict', ({ verdict }) => (
          <Untrusted text={verdict ?? 'not checked'} />
        ))}
        {row('Causes', ({ causes }) => (
          <Untrusted text={causes.join('; ') || 'none'} />
        ))}
        {row('Calls', ({ calls, notRecorded }) => `${calls}, ${notRecorded} not recorded`)}
        {row('Cost', ({ usd }) => (usd === null ? 'unknown' : `$${usd.toFixed(4)}`))}
        {row('Tokens', ({ tokens }) => numberText(tokens))}
        <tr>
          <th scope="row">First difference</th>
          {first === null ? (
            <td colSpan={2}>No step differs.</td>
          ) : (
            <>
              <td>
                <StepText step={first.source} sessionId={source?.sessionId ?? ''} />
              </td>
              <td>
                <StepText step={first.fork} sessionId={fork.sessionId} />
              </td>
            </>
          )}
        </tr>
      </tbody>
    </table>
  );
}

function StepText({ step, sessionId }: { step: Step; sessionId: string }) {
  if (step === null) return <>has ended</>;
  return (
    <a href={`/s/${sessionId}#e-${step.event}`}>
      <Untrusted text={step.text} />
    </a>
  );
}

/** Asks for the step, and for the text that the agent gets there. */
function ForkForm({ sessionId }: { sessionId: string }) {
  const { route } = useLocation();
  const outcome = useSignal('');
  const steps = useResource((left) => readSteps({ sessionId, resultBytes: 0 }, left), [sessionId]);
  const submit = async (event: Event) => {
    event.preventDefault();
    const given = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string) => String(given.get(name) ?? '').trim() || undefined;
    const body = {
      at: text('at') ?? '',
      say: text('say'),
      model: text('model'),
      tools: given.has('live') ? ('live' as const) : ('recorded' as const),
    };
    outcome.value = 'Opening …';
    try {
      const opened = await api.post('/v1/sessions/{sessionId}/forks', { sessionId }, body);
      route(`/s/${opened.sessionId}`);
    } catch (cause) {
      outcome.value = asError(cause).message;
    }
  };
  return (
    <Reading resource={steps} needs="viewer">
      {({ events }) => (
        <form class={s.form} onSubmit={(event) => void submit(event)}>
          <label>
            Where
            <select name="at" class={parts.select}>
              {listForkPlaces(events).map(({ at, text }) => (
                <option key={at} value={at}>
                  {`${at} ${text}`}
                </option>
              ))}
            </select>
          </label>
          <label>
            Further knowledge (optional)
            <textarea name="say" class={parts.field} rows={2} maxLength={10_000} />
          </label>
          <label>
            Model (optional)
            <input name="model" class={parts.field} maxLength={200} placeholder="as before" />
          </label>
          <label class={s.live}>
            <input type="checkbox" name="live" /> Read from servers, instead of recorded results
          </label>
          <button type="submit" class={`${parts.button} ${parts.primary}`} disabled={isOffline.value}>
            Fork
          </button>
          <span class={parts.meta} role="status">
            {outcome.value}
          </span>
        </form>
      )}
    </Reading>
  );
}
