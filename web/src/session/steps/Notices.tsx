// Rows of the session itself, between those of its agents.

import parts from '../../parts/parts.module.css';
import s from '../rows/steps.module.css';
import { StepRow } from './StepRow.tsx';
import type { Notice } from './sessionNotices.ts';

/** A list of rows; nothing without notices. @param isPanel With a frame of its own. */
export function Notices({ notices, isPanel = false }: { notices: readonly Notice[]; isPanel?: boolean }) {
  if (notices.length === 0) return null;
  return (
    <ol
      class={isPanel ? `${parts.panel} ${s.rows} ${s.notices}` : `${s.rows} ${s.notices}`}
      aria-label="About the session"
    >
      {notices.map(({ step, at }, index) => (
        <StepRow
          key={step.key}
          step={step}
          isSameTime={at === notices[index - 1]?.at}
          isOpen={true}
          toggle={() => {}}
        />
      ))}
    </ol>
  );
}
