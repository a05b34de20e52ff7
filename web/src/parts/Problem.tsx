// What went wrong: code, sentence, and what can be done.

import type { ComponentChildren } from 'preact';
import { ApiError } from '../api/client.ts';
import { Foreign } from './Foreign.tsx';
import s from './parts.module.css';

/** An error with a way to try again. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const code = error instanceof ApiError ? error.code : 'INTERNAL';
  return (
    <div class={`${s.box} ${s.fail}`} role="alert">
      <b>{code}</b> <Foreign text={error.message} />
      {onRetry && (
        <div class={s.actions}>
          <button type="button" class={s.button} onClick={onRetry}>
            Try again
          </button>
        </div>
      )}
    </div>
  );
}

/** A sentence that stands where something else would. */
export function Note({ children }: { children: ComponentChildren }) {
  return <p class={s.box}>{children}</p>;
}
