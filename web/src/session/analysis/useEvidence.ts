// Evidence of claims in results: from the session's ledger, else by search in loaded ones.

import { useEffect, useMemo, useState } from 'preact/hooks';
import type { FindEvidence, KnownEvidence } from '../../markdown/evidenceLinks.ts';
import type { createEvidenceFinder } from '../../model/evidence.ts';
import { buildLedger } from '../../model/ledger.ts';
import { useSession } from '../state/sessionState.ts';

/** Larger results of a session are read on demand: then only their starts are searched. */
const MOST_BYTES = 300_000;

/** The evidence of the analysis; undefined until it is known. */
export function useAnalysisEvidence(): KnownEvidence | FindEvidence | undefined {
  const { timeline, hasLedger, claims } = useSession();
  const find = useEvidenceSearch(!hasLedger.value);
  const [known, size] = [claims.value, timeline.size.value];
  const ledger = useMemo(() => known && buildLedger(known, timeline.all()), [timeline, known, size]);
  return hasLedger.value ? ledger : find;
}

/** Finds evidence; undefined until steps and code are read. @param isWanted Default: true. */
export function useEvidenceSearch(isWanted = true): FindEvidence | undefined {
  const { timeline, isRead, isReadingTexts, readTexts } = useSession();
  const [create, setCreate] = useState<typeof createEvidenceFinder>();
  const [isReading, size] = [isReadingTexts.value, timeline.size.value];
  const isThere = isWanted && isRead.value;
  useEffect(() => {
    if (!isThere) return;
    // Without its code, values have no links.
    import('../../model/evidence.ts')
      .then((loaded) => setCreate(() => loaded.createEvidenceFinder))
      .catch(() => {});
    const cut = timeline.all().filter((event) => event.cut);
    // After a failure the starts are searched.
    if (cut.reduce((sum, { bytes }) => sum + bytes, 0) <= MOST_BYTES) void readTexts().catch(() => {});
  }, [isThere, size]);
  return useMemo(
    () => (isThere && create ? create(timeline.all()) : undefined),
    [timeline, isThere, create, isReading, size],
  );
}
