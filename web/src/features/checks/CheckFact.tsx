// That a session is a check, in its head.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { Untrusted } from '../../parts/Untrusted.tsx';

/** The kind of the session, with its schedule; nothing for other sessions. */
export function CheckFact({ view: { check } }: { view: SessionView }) {
  if (!check) return null;
  return (
    <span>
      check
      {check.schedule !== null && (
        <>
          {' of the schedule '}
          <a href="/schedules">
            <Untrusted text={check.schedule} />
          </a>
        </>
      )}
    </span>
  );
}
