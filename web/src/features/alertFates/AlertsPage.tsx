// The fate of each alert: its outcome, the rule with its line, and the fix.

import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { ParametersOf } from '../../../../shared/client/routes.ts';
import type { AlertFate, AnswerOf } from '../../../../shared/lists/apiTypes.ts';
import { api, asError } from '../../api/client.ts';
import { useResource } from '../../api/useResource.ts';
import { canAct } from '../../frame/currentUser.ts';
import { PageHead } from '../../frame/Frame.tsx';
import frame from '../../frame/frame.module.css';
import { shortId, withParameter } from '../../model/address.ts';
import { loadLater } from '../../parts/lazyPart.tsx';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { Reading } from '../../parts/Reading.tsx';
import { FateItem } from './FateItem.tsx';
import s from './fates.module.css';
import { OUTCOMES } from './outcomes.ts';

const Regroup = loadLater('The confirmation', () => import('./Regroup.tsx').then((module) => module.Regroup));

/** The page of all alerts. */
export function AlertsPage() {
  const { query } = useLocation();
  const { q = '', outcome = '', session = '' } = query;
  const filter =
    session !== '' ? { session } : { q: q.trim() === '' ? undefined : q, outcome: outcome || undefined };
  const key = JSON.stringify(filter);
  const first = useResource((left) => api.get('/v1/alerts', filter, left), [key]);
  return (
    <>
      <PageHead title="Alerts">
        <p class={parts.meta}>
          {session === '' ? (
            'The outcome of every alert of the last 30 days, with the rule that decided it.'
          ) : (
            <>
              Alerts of session <a href={`/s/${session}`}>{shortId(session)}</a>.{' '}
              <a href="/alerts">All alerts</a>
            </>
          )}
        </p>
      </PageHead>
      <div class={`${frame.page} ${s.page}`}>
        {session === '' && <Filter q={q} outcome={outcome} />}
        <section class={parts.panel} aria-label="Alerts">
          <Reading resource={first} needs="viewer" missing="This server does not list alerts.">
            {(page) => (
              <Fates key={key} filter={filter} first={page} sessionId={session} onChange={first.reload} />
            )}
          </Reading>
        </section>
      </div>
    </>
  );
}

function Filter({ q, outcome }: { q: string; outcome: string }) {
  const { route } = useLocation();
  const typed = useSignal(q);
  useEffect(() => {
    typed.value = q;
  }, [q]);
  const set = (name: string, value: string) => route(withParameter(location.href, name, value), true);
  return (
    <div class={s.filter}>
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          set('q', typed.value.trim());
        }}
      >
        <input
          type="search"
          class={s.search}
          data-search
          aria-label="Words of the title, the reason or the rule"
          placeholder="Title, reason or rule"
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <button type="submit" class={parts.button}>
          Find
        </button>
      </form>
      <fieldset class={s.chips} aria-label="Outcome">
        <Chip name="All" isOn={outcome === ''} onClick={() => set('outcome', '')} />
        {Object.entries(OUTCOMES).map(([key, { word }]) => (
          <Chip key={key} name={word} isOn={outcome === key} onClick={() => set('outcome', key)} />
        ))}
      </fieldset>
    </div>
  );
}

function Chip({ name, isOn, onClick }: { name: string; isOn: boolean; onClick: () => void }) {
  return (
    <button type="button" class={parts.chip} aria-pressed={isOn} onClick={onClick}>
      {name}
    </button>
  );
}

interface FatesProps {
  filter: ParametersOf<'GET /v1/alerts'>;
  first: AnswerOf<'GET /v1/alerts'>;
  /** '' for alerts of all sessions. */
  sessionId: string;
  /** Reads the list again. */
  onChange: () => void;
}

function Fates({ filter, first, sessionId, onChange }: FatesProps) {
  const more = useSignal<AlertFate[]>([]);
  const next = useSignal(first.next);
  const error = useSignal<Error | undefined>(undefined);
  const readMore = async () => {
    try {
      const page = await api.get('/v1/alerts', { ...filter, after: next.value ?? undefined });
      more.value = [...more.value, ...page.alerts];
      next.value = page.next;
      error.value = undefined;
    } catch (cause) {
      error.value = asError(cause);
    }
  };
  const all = [...first.alerts, ...more.value];
  const asked = useSignal<{ fate?: AlertFate } | undefined>(undefined);
  const outcome = useSignal('');
  const fateId = asked.value?.fate?.id;
  const isChangeable = sessionId !== '' && canAct.value;
  return (
    <>
      {isChangeable && (
        <div class={s.merge}>
          <button type="button" class={parts.button} onClick={() => (asked.value = {})}>
            Merge into another session …
          </button>
          <span role="status">{outcome.value}</span>
        </div>
      )}
      {asked.value && (
        <Regroup
          sessionId={sessionId}
          title={(all.find((one) => one.outcome === 'opened') ?? all.at(-1))?.title ?? ''}
          fate={asked.value.fate}
          onClose={() => (asked.value = undefined)}
          onDone={(text) => {
            asked.value = undefined;
            outcome.value = text;
            more.value = more.value.filter(({ id }) => id !== fateId);
            onChange();
          }}
        />
      )}
      {all.length === 0 && <p class={s.empty}>No alert{next.value === null ? '.' : ' so far.'}</p>}
      <ol class={s.items}>
        {all.map((fate) => (
          <FateItem key={fate.id} fate={fate}>
            {isChangeable && hasJoined(fate) && (
              <button
                type="button"
                class={`${parts.button} ${s.split}`}
                onClick={() => (asked.value = { fate })}
              >
                Split off …
              </button>
            )}
          </FateItem>
        ))}
      </ol>
      {error.value && <Problem error={error.value} onRetry={() => void readMore()} />}
      {next.value !== null && (
        <p class={s.more}>
          <button type="button" class={parts.button} onClick={() => void readMore()}>
            Older alerts
          </button>
        </p>
      )}
    </>
  );
}

/** Whether a rule or a merge added an alert to its session: others belong to its problem. */
const hasJoined = ({ outcome, by }: AlertFate): boolean =>
  outcome === 'joined' && (by === 'rule' || by === 'merge');
