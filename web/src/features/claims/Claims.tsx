// The verdict: hypotheses side by side, with evidence that code found, and excluded.

import { useEffect } from 'preact/hooks';
import { causeWords } from '../../../../shared/evidence/causeWords.ts';
import { excludeReason } from '../../../../shared/evidence/evidenceWords.ts';
import { MARK_WORDS } from '../../../../shared/evidence/markUnchecked.ts';
import { outcomeWords, probeWords } from '../../../../shared/evidence/outcomeWords.ts';
import type { Claims as ClaimsOf, SessionView, TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { api } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { stepId } from '../../model/address.ts';
import { dayText } from '../../model/format.ts';
import { isCall } from '../../model/steps.ts';
import parts from '../../parts/parts.module.css';
import { Time } from '../../parts/Time.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import body from '../../session/analysis/analysis.module.css';
import { EvidenceLink } from '../../session/analysis/EvidenceLink.tsx';
import { useSession } from '../../session/state/sessionState.ts';
import { Word } from '../../words/Word.tsx';
import s from './claims.module.css';

type Hypothesis = ClaimsOf['hypotheses'][number];
type Evidence = ClaimsOf['evidence'][number];

/** The panel; nothing without a verdict. */
export function Claims({ view }: { view: SessionView }) {
  const { verdict } = view;
  return verdict && <Panel view={view} verdict={verdict} />;
}

function Panel({ view, verdict }: { view: SessionView; verdict: NonNullable<SessionView['verdict']> }) {
  const { sessionId, claims: shared, areClaimsSettled } = useSession();
  const { value, error, reload } = useResource(
    (left) => api.get('/v1/sessions/{sessionId}/claims', { sessionId }, left),
    [sessionId],
  );
  useEffect(reload, [view.status, verdict.value]);
  const claims = value.value;
  const missing = Map.groupBy(claims?.values ?? [], ({ state }) => MARK_WORDS[state]);
  useEffect(() => {
    shared.value = claims;
  }, [claims]);
  const isSettled = (claims ?? error.value) !== undefined;
  useEffect(() => {
    areClaimsSettled.value ||= isSettled;
  }, [isSettled]);
  return (
    <section
      id="claims"
      class={parts.panel}
      aria-labelledby="claims-title"
      data-verdict={verdict.value ?? 'none'}
    >
      <div class={parts.panelHead}>
        <h2 id="claims-title">
          <Word name="verdict" text="Verdict" />
        </h2>
      </div>
      <div class={`${body.body} ${s.claims}`}>
        <p>
          <Untrusted text={verdict.sentence} />
        </p>
        {verdict.disproof !== '' && (
          <p>
            <b>What would disprove it:</b> <Untrusted text={verdict.disproof} />
          </p>
        )}
        {verdict.questions.length > 0 && (
          <div>
            <b>What could not be seen:</b>
            <ul>
              {verdict.questions.map((question) => (
                <li key={question}>
                  <Untrusted text={question} />
                </li>
              ))}
            </ul>
          </div>
        )}
        <div class={s.hypotheses}>
          {(claims?.hypotheses ?? []).map((one) => (
            <Hypothesized key={one.id} one={one} claims={claims as ClaimsOf} />
          ))}
        </div>
        {[...missing].map(
          ([words, values]) =>
            words !== undefined && (
              <p key={words} class={s.missingValues}>
                {words.replace(/^./, (first) => first.toUpperCase())}:{' '}
                {values.map(({ text }, index) => (
                  <mark key={index}>
                    <Untrusted text={text} />
                  </mark>
                ))}
              </p>
            ),
        )}
        {(claims?.links ?? []).length > 0 && <Links claims={claims as ClaimsOf} />}
        {claims?.outcome && <Outcome outcome={claims.outcome} />}
      </div>
    </section>
  );
}

function Hypothesized({ one, claims }: { one: Hypothesis; claims: ClaimsOf }) {
  const own = claims.evidence.filter(({ hypothesis }) => hypothesis === one.id);
  const isCounted = (item: Evidence) => excludeReason(item) === undefined;
  const sides = [
    ['For', own.filter((item) => isCounted(item) && item.side === 'for')],
    ['Against', own.filter((item) => isCounted(item) && item.side === 'against')],
    ['Excluded', own.filter((item) => !isCounted(item))],
  ] as const;
  return (
    <article class={s.hypothesis} data-cause={one.cause}>
      <h3>
        {one.cause && 'Cause: '}
        <Untrusted text={causeWords(one) || one.id} />
      </h3>
      {one.text && (
        <p>
          <Untrusted text={one.text} />
        </p>
      )}
      {sides.map(([name, items]) =>
        items.length === 0 ? null : (
          <div key={name}>
            <h4>{name}</h4>
            <ul>
              {items.map((item) => (
                <li key={item.id} id={`evidence-${item.id}`}>
                  <Item item={item} isExcluded={name === 'Excluded'} />
                </li>
              ))}
            </ul>
          </div>
        ),
      )}
    </article>
  );
}

/** A piece of evidence: a link to its line, or struck through with the reason. */
function Item({ item, isExcluded }: { item: Evidence; isExcluded: boolean }) {
  const text = item.quote ?? `${item.pointer ?? ''} = ${item.value ?? ''}`;
  const href = useResultAddress(item);
  if (isExcluded)
    return (
      <>
        <s>
          <Untrusted text={text} />
        </s>{' '}
        <span class={parts.meta}>
          {excludeReason(item)}
          {item.found !== null && (
            <>
              : <Untrusted text={item.found} />
            </>
          )}
        </span>
      </>
    );
  const where = `${item.executionId ?? ''} ${item.result ?? ''}${item.line === null ? '' : `, line ${item.line}`}`;
  return href === undefined ? (
    <Untrusted text={text} />
  ) : (
    <EvidenceLink text={text} isCode href={href} where={where} />
  );
}

/** The address of the line of a result within the page; undefined until its step is read. */
function useResultAddress({ executionId, callId, line }: Evidence): string | undefined {
  const { timeline } = useSession();
  void timeline.size.value;
  const isOf = (event: TimelineEvent): boolean =>
    event.executionId === executionId &&
    (event.eventType === 'tool_result' || isCall(event)) &&
    event.metadata.callId === callId;
  const found = timeline.all().filter(isOf);
  const event = found.find(({ eventType }) => eventType === 'tool_result') ?? found[0];
  return event && `#${stepId(event)}${line === null ? '' : `:L${line}`}`;
}

/** Whether the problem ended, by calls that code repeated. */
function Outcome({ outcome }: { outcome: NonNullable<ClaimsOf['outcome']> }) {
  const { value, reason, nextCheckAt, probes, checks } = outcome;
  const latest = checks.findLast(({ endedAt }) => endedAt !== null)?.results ?? [];
  return (
    <div id="outcome" class={s.outcome} data-outcome={value ?? 'none'}>
      <h3>Outcome: {value === null ? 'not checked yet' : outcomeWords(value)}</h3>
      {reason !== null && (
        <p>
          <Untrusted text={reason} />
        </p>
      )}
      <ul>
        {probes.map((probe, index) => (
          <li key={probe.id}>
            <Untrusted text={probeWords(probe, latest[index]?.holds ?? null)} />
          </li>
        ))}
      </ul>
      {nextCheckAt !== null && (
        <p class={parts.meta}>
          Next check after <Time iso={nextCheckAt} text={dayText(nextCheckAt)} />
        </p>
      )}
    </div>
  );
}

/** Sentences of the analysis with their evidence. */
function Links({ claims: { links, evidence } }: { claims: ClaimsOf }) {
  return (
    <details class={s.claimLinks}>
      <summary>Claims of the analysis</summary>
      <ul>
        {links.map(({ text, evidence: ids }) => (
          <li key={text}>
            <Untrusted text={text} />{' '}
            {ids.map((id) => {
              const state = evidence.find((one) => one.id === id)?.state ?? 'unknown';
              return (
                <a key={id} href={`#evidence-${id}`} class={parts.meta}>
                  {id} {state}{' '}
                </a>
              );
            })}
          </li>
        ))}
      </ul>
    </details>
  );
}
