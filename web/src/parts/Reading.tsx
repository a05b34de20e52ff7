// A resource: a placeholder while it loads, its content, or the reason for none.

import type { ComponentChildren } from 'preact';
import { ApiError } from '../../../shared/client/apiError.ts';
import type { Resource } from '../api/useResource.ts';
import { Bars } from './Bars.tsx';
import { Note, Problem } from './Problem.tsx';
import { Untrusted } from './Untrusted.tsx';

interface Props<T> {
  resource: Resource<T>;
  /** The role that can read it. */
  needs: 'viewer' | 'admin';
  /** Shown when the server has nothing at the address. */
  missing?: ComponentChildren;
  children: (value: T) => ComponentChildren;
}

/** The content. It stays while it is read again, and when that fails. */
export function Reading<T>({ resource: { value, error, reload }, needs, missing, children }: Props<T>) {
  return (
    <>
      {error.value && <NotRead error={error.value} onRetry={reload} needs={needs} missing={missing} />}
      {value.value === undefined && !error.value && <Bars />}
      {value.value !== undefined && children(value.value)}
    </>
  );
}

interface NotReadProps {
  error: Error;
  onRetry: () => void;
  needs: Props<unknown>['needs'];
  missing?: ComponentChildren;
}

/** The reason why a resource is not shown. */
export function NotRead({ error, onRetry, needs, missing }: NotReadProps) {
  const status = error instanceof ApiError ? error.status : 0;
  if (status === 404 && missing !== undefined) return <Note>{missing}</Note>;
  if (status !== 401 && status !== 403) return <Problem error={error} onRetry={onRetry} />;
  return (
    <Note>
      {status === 401 ? 'Sign in to see this.' : `This requires the role ${needs}.`}{' '}
      <Untrusted text={error.message} />
    </Note>
  );
}
