// Two sessions side by side: alert, verdict, causes, evidence, cost and calls.

import type { ComponentChildren } from 'preact';
import { useLocation } from 'preact-iso';
import { locateAlertPlace, placeText } from '../../../../shared/alerts/alertLocation.ts';
import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { readSteps } from '../../api/readSteps.ts';
import { useResource } from '../../api/useResource.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { Markdown } from '../../markdown/Markdown.tsx';
import { withParameter } from '../../model/address.ts';
import { countText, durationText, numberText, priceText, utcText } from '../../model/format.ts';
import { shownStatus } from '../../model/shownStatus.ts';
import { Arguments } from '../../parts/Arguments.tsx';
import parts from '../../parts/parts.module.css';
import { NotRead, Reading } from '../../parts/Reading.tsx';
import { Status } from '../../parts/Status.tsx';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import { type CallCount, type ComparedCall, compareCalls } from './calls.ts';
import { type ComparedClaim, compareClaims } from './claims.ts';
import s from './compare.module.css';

/** The page of two sessions, which the address names as `a` and `b`. */
export function ComparePage() {
  const { query } = useLocation();
  const [a = '', b = ''] = [query.a, query.b];
  return (
    <>
      <PageHead title="Compare sessions" />
      <div class={frame.page}>
        <Chosen a={a} b={b} />
        {a !== '' && b !== '' && <Both key={`${a} ${b}`} a={a} b={b} />}
      </div>
    </>
  );
}

/** The ids of both sessions. */
function Chosen({ a, b }: { a: string; b: string }) {
  const { route } = useLocation();
  const field = (name: 'a' | 'b', value: string) => (
    <label class={s.id}>
      Session {name.toUpperCase()}{' '}
      <input
        class={parts.field}
        value={value}
        onChange={({ currentTarget }) =>
          route(withParameter(location.href, name, currentTarget.value.trim()), true)
        }
      />
    </label>
  );
  return (
    <div class={s.ids}>
      {field('a', a)}
      {field('b', b)}
    </div>
  );
}

const useView = (sessionId: string) =>
  useResource((left) => api.get('/v1/sessions/{sessionId}', { sessionId }, left), [sessionId]);
/** Only calls and whether they failed are read: no text of results. */
const useSteps = (sessionId: string) =>
  useResource((left) => readSteps({ sessionId, resultBytes: 0 }, left), [sessionId]);
const useClaims = (sessionId: string) =>
  useResource((left) => api.get('/v1/sessions/{sessionId}/claims', { sessionId }, left), [sessionId]).value
    .value;

function Both({ a, b }: { a: string; b: string }) {
  const views = [useView(a), useView(b)] as const;
  const steps = [useSteps(a), useSteps(b)] as const;
  const [one, other] = [steps[0].value.value, steps[1].value.value];
  const isChecked = views.some(({ value }) => value.value?.verdict);
  return (
    <>
      <div class={s.columns}>
        {views.map((resource, index) => (
          <Reading key={index} resource={resource} needs="viewer" missing="There is no such session.">
            {(view) => <Column view={view} />}
          </Reading>
        ))}
      </div>
      {steps.map(
        ({ error, reload }, index) =>
          error.value && <NotRead key={index} error={error.value} onRetry={reload} needs="viewer" />,
      )}
      {isChecked && <ClaimsOfBoth a={a} b={b} />}
      {one && other && (
        <Calls
          calls={compareCalls(one.events, other.events)}
          isPart={one.next !== null || other.next !== null}
        />
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Column({ view }: { view: SessionView }) {
  const { sessionId, alert, title, createdAt, durationMs, tokens, failure, chain } = view;
  const place = alert === null ? '' : placeText(locateAlertPlace(alert));
  const status = shownStatus(view);
  return (
    <section class={parts.panel} aria-labelledby={`title-${sessionId}`}>
      <div class={parts.panelHead}>
        <h2 id={`title-${sessionId}`}>
          <a href={`/s/${sessionId}`}>
            <Untrusted text={title ?? alert?.title ?? sessionId} />
          </a>
        </h2>
        <Status status={status} plain={status === 'completed'} />
      </div>
      <dl class={s.facts}>
        {place !== '' && (
          <Fact name="Place">
            <Untrusted text={place} />
          </Fact>
        )}
        <Fact name="Severity">
          <Untrusted text={alert?.severity ?? 'none'} />
        </Fact>
        <Fact name="Started">
          <Time iso={createdAt} text={utcText(createdAt)} />
        </Fact>
        <Fact name="Duration">{durationMs === null ? 'unknown' : durationText(durationMs)}</Fact>
        <Fact name="Chain">
          <Untrusted text={chain} />
        </Fact>
        <Fact name="Verdict">
          <Untrusted text={view.verdict?.sentence ?? 'Not checked'} />
        </Fact>
        <Fact name="Cost">{priceText(view)}</Fact>
        <Fact name="Tokens">{numberText(tokens.total)}</Fact>
      </dl>
      <div class={s.cause}>
        {failure !== null && (
          <p class={`${parts.box} ${parts.fail}`}>
            <b>{failure.code}</b> <Untrusted text={failure.message} />
          </p>
        )}
        <Markdown source={view.executiveSummary ?? view.finalAnalysis ?? 'No analysis.'} />
      </div>
    </section>
  );
}

function ClaimsOfBoth({ a, b }: { a: string; b: string }) {
  const [one, other] = [useClaims(a), useClaims(b)];
  return one && other ? <Claims claims={compareClaims(one, other)} /> : null;
}

/** Causes, hypotheses and evidence of both; absent where neither session states any. */
function Claims({ claims }: { claims: readonly ComparedClaim[] }) {
  if (claims.length === 0) return null;
  return (
    <section class={parts.panel} aria-labelledby="claims-title">
      <div class={parts.panelHead}>
        <h2 id="claims-title">Causes and evidence</h2>
        <span class={parts.meta}>only evidence that is held counts</span>
      </div>
      <div class={s.scroll} role="region" aria-label="Causes and evidence of both sessions" tabIndex={0}>
        <table class={s.calls}>
          <thead>
            <tr>
              <th scope="col">Statement</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {claims.map(({ text, isEvidence, states }) => (
              <tr key={`${isEvidence} ${text}`}>
                <td>
                  {isEvidence ? (
                    <Untrusted text={text} />
                  ) : (
                    <b>
                      <Untrusted text={text} />
                    </b>
                  )}
                </td>
                {states.map((state, index) => (
                  <td key={index}>{state === null ? 'not stated' : state.replaceAll('_', ' ')}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Calls({ calls, isPart }: { calls: readonly ComparedCall[]; isPart: boolean }) {
  const same = calls.filter(({ counts: [one, other] }) => one.calls > 0 && other.calls > 0).length;
  return (
    <section class={parts.panel} aria-labelledby="calls-title">
      <div class={parts.panelHead}>
        <h2 id="calls-title">Tool calls</h2>
        <span class={parts.meta}>
          {countText(calls.length, 'call')}, {same} in both
          {isPart && ', of the first events of a long session'}
        </span>
      </div>
      <div class={s.scroll} role="region" aria-label="Tool calls of both sessions" tabIndex={0}>
        <table class={s.calls}>
          <thead>
            <tr>
              <th scope="col">Call</th>
              <th scope="col">A</th>
              <th scope="col">B</th>
            </tr>
          </thead>
          <tbody>
            {calls.map(({ toolName, arguments: json, counts }) => (
              <tr key={`${toolName} ${json}`}>
                <td>
                  <b>
                    <Untrusted text={toolName} />
                  </b>
                  <Arguments json={json} />
                </td>
                {counts.map((count, index) => (
                  <td key={index}>{timesText(count)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function timesText({ calls, errors }: CallCount): string {
  if (calls === 0) return 'not called';
  return errors === 0 ? countText(calls, 'time') : `${countText(calls, 'time')}, ${errors} failed`;
}
