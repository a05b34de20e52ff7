// The installation's page: state, work for the reader, tool servers, models, configuration.

import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { reloadWhenVisible, useResource } from '../api/useResource.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { healthWords, SECTIONS } from '../frame/healthWords.ts';
import { systemHealth, systemPause } from '../frame/systemState.ts';
import { dayText } from '../model/format.ts';
import { Icon } from '../parts/Icon.tsx';
import parts from '../parts/parts.module.css';
import reading from '../parts/reading.module.css';
import { Time } from '../parts/Time.tsx';
import { Untrusted } from '../parts/Untrusted.tsx';
import { LoadedConfiguration } from './LoadedConfiguration.tsx';
import { Models } from './Models.tsx';
import { Section } from './Section.tsx';
import { Servers } from './Servers.tsx';
import s from './system.module.css';
import { WaitingWork } from './WaitingWork.tsx';

/** The page. An address names a section: `/system#servers`. */
export function SystemPage() {
  const { url } = useLocation();
  const activity = useResource((left) => api.get('/v1/system/activity', {}, left));
  const configuration = useResource((left) => api.get('/v1/system/configuration', {}, left));
  useEffect(() => reloadWhenVisible(activity), [activity]);
  useEffect(() => reloadWhenVisible(configuration), [configuration]);
  const isRead = [activity, configuration].every(({ value, error }) => value.value ?? error.value);
  useEffect(() => {
    // Content above a section moves it until it is read.
    const show = () => {
      const section = document.getElementById(location.hash.slice(1));
      if (section === null) return;
      section.style.scrollMarginTop = `${coveredHeight()}px`;
      section.scrollIntoView({ block: 'start' });
      section.querySelector('h2')?.focus({ preventScroll: true });
    };
    show();
    addEventListener('hashchange', show);
    return () => removeEventListener('hashchange', show);
  }, [isRead, url]);
  return (
    <>
      <PageHead title="System">
        <p class={parts.meta}>
          From stored calls and running agents. This page asks no server and no model; to ask them now, run{' '}
          <code>npx --no inquest doctor</code>.
        </p>
      </PageHead>
      <div class={`${frame.page} ${s.sections} ${reading.inOrder}`}>
        <nav class={s.jump} aria-label="Sections">
          {Object.entries(SECTIONS).map(([id, name]) => (
            <a key={id} class={parts.chip} href={`#${id}`}>
              {name}
            </a>
          ))}
        </nav>
        <InstallationState />
        <WaitingWork activity={activity} />
        <Servers activity={activity} configured={configuration.value.value?.servers ?? []} />
        <Models configuration={configuration} />
        <LoadedConfiguration configuration={configuration} />
      </div>
    </>
  );
}

const BAR_HEIGHT = 48;
const GAP = 16;

/** How much of the window the bar and the notices cover, in pixels. */
function coveredHeight(): number {
  const notices = [...document.querySelectorAll<HTMLElement>(`.${frame.notice}`)];
  return BAR_HEIGHT + GAP + Math.max(0, ...notices.map(({ offsetHeight }) => offsetHeight));
}

/** The section. */
function InstallationState() {
  const { value: health } = systemHealth;
  const { value: pause } = systemPause;
  const away = health === undefined ? [] : healthWords(health);
  return (
    <Section id="state" note="as running agents noticed">
      <ul class={s.list}>
        {pause !== null && (
          <li class={s.away}>
            <Icon name="hourglass" /> Paused by <Untrusted text={pause.by} /> until{' '}
            <Time iso={pause.until} text={dayText(pause.until)} />. Alerts are accepted; their investigations
            continue then.
          </li>
        )}
        {away.map(({ text, since }) => (
          <li key={text} class={s.away}>
            <Icon name="warning" /> <Untrusted text={text} />
            {since !== undefined && (
              <>
                {' '}
                Since <Time iso={since} text={dayText(since)} />.
              </>
            )}
          </li>
        ))}
        {pause === null && away.length === 0 && (
          <li>
            <Icon name="done" /> Nothing is known to be away. While no agent runs, an outage of a server or a
            model is not noticed.
          </li>
        )}
      </ul>
    </Section>
  );
}
