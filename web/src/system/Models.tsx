// Each model with its last outage and its quota.

import type { Configuration } from '../../../shared/lists/apiTypes.ts';
import type { Resource } from '../api/useResource.ts';
import { healthWords } from '../frame/healthWords.ts';
import { systemHealth } from '../frame/systemState.ts';
import { dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import { Reading } from '../parts/Reading.tsx';
import type { Shown } from '../parts/statusDisplay.ts';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { ItemHead } from './ItemHead.tsx';
import { Section } from './Section.tsx';
import { quotaTexts } from './serverRows.ts';
import s from './system.module.css';

type Model = Configuration['models'][number];

/** The section. Agents that wait are shown to everyone, models to operators. */
export function Models({ configuration }: { configuration: Resource<Configuration> }) {
  const waits = systemHealth.value === undefined ? [] : healthWords({ ...systemHealth.value, servers: [] });
  return (
    <Section id="models">
      {waits
        .filter(({ section }) => section === 'models')
        .map(({ text }) => (
          <p key={text} class={s.away}>
            <Icon name="warning" /> <Untrusted text={text} />
          </p>
        ))}
      <Reading resource={configuration} needs="admin" missing="This server does not list its models.">
        {({ models }) => (
          <ul class={s.list}>
            {models.map((model) => (
              <Item key={model.name} model={model} />
            ))}
          </ul>
        )}
      </Reading>
    </Section>
  );
}

function describeModelState({ outage }: Model): Shown {
  if (outage === null) return { word: 'No outage known', icon: 'dashed', tone: 'none' };
  if (outage.answeredAt === null) return { word: 'Does not answer', icon: 'failed', tone: 'fail' };
  return { word: 'Answers again', icon: 'done', tone: 'ok' };
}

function Item({ model }: { model: Model }) {
  const { name, provider, model: id, isDefault, outage, use } = model;
  const state = describeModelState(model);
  const quota = quotaTexts(model);
  return (
    <li>
      <ItemHead name={name} state={state}>
        {isDefault && <span class={parts.meta}>default</span>}
      </ItemHead>
      <dl class={s.facts}>
        <dt>Model</dt>
        <dd>
          <code>
            <Untrusted text={`${provider}/${id}`} />
          </code>
        </dd>
        {outage !== null && (
          <>
            <dt>Last outage</dt>
            <dd>
              since <Time iso={outage.since} text={dayText(outage.since)} />
              {outage.answeredAt === null ? (
                ': agents wait for it, and are asked again'
              ) : (
                <>
                  {' '}
                  until <Time iso={outage.answeredAt} text={dayText(outage.answeredAt)} />
                </>
              )}
            </dd>
          </>
        )}
        <dt>Quota</dt>
        <dd>
          {quota.length === 0 ? 'none: models.yaml sets no limit' : quota.join(' · ')}
          {use?.isSlowed && (
            <p class={s.away}>
              <Icon name="warning" /> The provider refused a request in this minute: half of the limits count.
            </p>
          )}
        </dd>
      </dl>
    </li>
  );
}
