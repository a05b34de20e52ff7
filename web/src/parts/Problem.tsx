// An error: code, message and retry.

import type { ComponentChildren } from 'preact';
import { ApiError } from '../../../shared/client/apiError.ts';
import { ErrorCode } from './ErrorCode.tsx';
import s from './parts.module.css';
import { Untrusted } from './Untrusted.tsx';

/** An error with a way to try again. */
export function Problem({ error, onRetry }: { error: Error; onRetry?: () => void }) {
  const code = error instanceof ApiError ? error.code : 'INTERNAL';
  return (
    <div class={`${s.box} ${s.fail}`} role="alert">
      <ErrorCode code={code} /> <Untrusted text={error.message} />
      {onRetry && (
        <div class={s.actions}>
          <button type="button" class={s.button} onClick={onRetry}>
            Retry
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
