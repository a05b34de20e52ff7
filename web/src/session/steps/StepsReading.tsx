// Steps that are loading, beside their heading, and steps that could not be loaded.

import { countText } from '../../model/format.ts';
import { Problem } from '../../parts/Problem.tsx';
import parts from '../../parts/parts.module.css';
import { useSession } from '../state/sessionState.ts';

/** How many steps there are so far, while more of them are loading. */
export function StepsReading() {
  const { reading, isReadingTexts } = useSession();
  if (reading.value !== undefined && reading.value.error === undefined)
    return (
      <span class={parts.meta} role="status">
        Loading: {countText(reading.value.steps, 'event')} so far
      </span>
    );
  if (!isReadingTexts.value) return null;
  return (
    <span class={parts.meta} role="status">
      Loading whole results
    </span>
  );
}

/** The failure that ended the reading of steps. */
export function StepsMissing() {
  const { reading, load } = useSession();
  const { steps, error } = reading.value ?? {};
  if (error === undefined) return null;
  return (
    <>
      <p class={parts.meta}>Not all steps are loaded: {countText(steps ?? 0, 'event')} so far.</p>
      <Problem error={error} onRetry={() => void load()} />
    </>
  );
}
