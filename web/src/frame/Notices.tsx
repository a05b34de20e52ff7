// Notices for every page: the reader is signed out, the installation is paused, a part of it is away, or a
// new version is available.

import { isSignedOut } from '../api/client.ts';
import { loadLater } from '../parts/lazyPart.tsx';
import parts from '../parts/parts.module.css';
import s from './frame.module.css';
import { isNewVersion } from './newVersion.ts';
import { isPartAway, systemPause } from './systemState.ts';

// Only an installation that is paused, or with a part away, has one.
const Health = loadLater('The notice', () => import('./Health.tsx').then((module) => module.Health));

/** Bars below the head of the page. */
export function Notices() {
  const reload = (name: string) => (
    <button type="button" class={parts.button} onClick={() => location.reload()}>
      {name}
    </button>
  );
  return (
    <>
      {isSignedOut.value && (
        <div class={s.notice} role="alert">
          <span>
            <b>You are signed out.</b> Your text is kept.
          </span>
          {reload('Sign in')}
        </div>
      )}
      {(isPartAway.value || systemPause.value !== null) && <Health />}
      {isNewVersion.value && !isSignedOut.value && (
        <div class={s.notice} role="status">
          <span>A new version is available. Your text is kept.</span>
          {reload('Reload')}
        </div>
      )}
    </>
  );
}
