// Evidence of claims in the results of a session, which are read as far as a list has them.

import { useEffect, useMemo } from 'preact/hooks';
import { createEvidenceFinder, type Evidence } from '../../model/evidence.ts';
import { useSession } from '../state/sessionState.ts';

/** Larger results of a session are read on demand: then only their starts are searched. */
const MOST_BYTES = 300_000;

/** Finds evidence in results; undefined until the steps are read. */
export function useEvidence(): ((value: string) => Evidence | undefined) | undefined {
  const { timeline, isRead, isReadingTexts, readTexts } = useSession();
  const [isThere, isReading, size] = [isRead.value, isReadingTexts.value, timeline.size.value];
  useEffect(() => {
    if (!isThere) return;
    const cut = timeline.all().filter((event) => event.cut);
    // After a failure the starts are searched.
    if (cut.reduce((sum, { bytes }) => sum + bytes, 0) <= MOST_BYTES) void readTexts().catch(() => {});
  }, [isThere, size]);
  return useMemo(
    () => (isThere ? createEvidenceFinder(timeline.all()) : undefined),
    [timeline, isThere, isReading, size],
  );
}
