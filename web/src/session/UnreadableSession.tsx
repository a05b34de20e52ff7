// The page of a session that could not be read.

import { ApiError } from '../../../shared/client/apiError.ts';
import { PageHead } from '../frame/Frame.tsx';
import frame from '../frame/frame.module.css';
import { Problem } from '../parts/Problem.tsx';

/** Why, and where to go. */
export function UnreadableSession({
  sessionId,
  error,
  retry,
}: {
  sessionId: string;
  error: Error;
  retry: () => void;
}) {
  const isUnknown = error instanceof ApiError && error.status === 404;
  return (
    <>
      <PageHead title={isUnknown ? 'Session not found' : 'Not available'} />
      <div class={frame.page}>
        {isUnknown ? (
          <p>
            There is no session <bdi>{sessionId}</bdi>. Sessions are deleted when they expire.{' '}
            <a href={`/?${new URLSearchParams({ q: sessionId })}`}>Search for it</a>, or see{' '}
            <a href="/">all sessions</a>.
          </p>
        ) : (
          <Problem error={error} onRetry={retry} />
        )}
      </div>
    </>
  );
}
