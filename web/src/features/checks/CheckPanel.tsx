// The question of a check and its result.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { hasEnded } from '../../model/status.ts';
import parts from '../../parts/parts.module.css';
import { Status } from '../../parts/Status.tsx';
import { Untrusted } from '../../parts/Untrusted.tsx';
import s from './check.module.css';

/** The panel; nothing for other sessions. */
export function CheckPanel({ view: { check, status } }: { view: SessionView }) {
  if (!check) return null;
  const { question, result, previous } = check;
  return (
    <section class={`${parts.panel} ${s.check}`} aria-label="Check">
      {question !== null && (
        <p>
          <b>Question</b> <Untrusted text={question} />
        </p>
      )}
      <p>
        <b>Result</b> {result === null ? hasEnded(status) ? 'none' : 'pending' : <Status status={result} />}
        {previous !== null && (
          <span class={parts.meta}>
            {' '}
            the run before: <Status status={previous} plain />
          </span>
        )}
      </p>
    </section>
  );
}
