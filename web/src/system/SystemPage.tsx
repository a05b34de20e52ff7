// The installation's page: state, work for the reader, tool servers, models, configuration.

import { useEffect } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { api } from '../api/client.ts';
import { reloadWhenVisible, useResource } from '../api/useResource.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { SECTIONS } from '../frame/healthWords.ts';
import parts from '../parts/parts.module.css';
import reading from '../parts/reading.module.css';
import { InstallationState } from './InstallationState.tsx';
import { LoadedConfiguration } from './LoadedConfiguration.tsx';
import { Models } from './Models.tsx';
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
