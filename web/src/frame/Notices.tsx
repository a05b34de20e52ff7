// Notices for every page: the reader is signed out, or a new version is available.

import { isSignedOut } from '../api/client.ts';
import parts from '../parts/parts.module.css';
import s from './frame.module.css';
import { isNewVersion } from './newVersion.ts';

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
      {isNewVersion.value && !isSignedOut.value && (
        <div class={s.notice} role="status">
          <span>A new version is available. Your text is kept.</span>
          {reload('Reload')}
        </div>
      )}
    </>
  );
}
