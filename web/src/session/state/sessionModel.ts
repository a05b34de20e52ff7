// The signals and events of a session that the parts of its page read.

import { computed, signal } from '@preact/signals';
import type { Claims, SessionView, WorkView } from '../../../../shared/lists/apiTypes.ts';
import { isOfQuestion } from '../../../../shared/text/elicit.ts';
import type { Connection } from '../../api/follow.ts';
import type { Resource } from '../../api/useResource.ts';
import { Timeline } from '../../model/timeline.ts';
import type { ResultState } from './resultState.ts';

/** The model of a session. */
export type SessionModel = ReturnType<typeof createModel>;

/** A session of which nothing is read yet. */
export function createModel(sessionId: string) {
  const timeline = new Timeline();
  const view = signal<SessionView | undefined>(undefined);
  return {
    sessionId,
    view,
    // Parts of the view that rows read: a row renders again only when its part changes.
    startedAt: computed(() => view.value?.createdAt),
    finalAnalysis: computed(() => view.value?.finalAnalysis ?? ''),
    summary: computed(() => view.value?.executiveSummary ?? ''),
    /** Whether the timeline has been read: before that its steps cannot be counted. */
    isRead: signal(false),
    /** While steps are first read: their number. With `error`: why the others are missing. */
    reading: signal<{ steps: number; error?: Error } | undefined>(undefined),
    /** Whether long results are being read whole, for a search or an export. */
    isReadingTexts: signal(false),
    /** The work of people; undefined until the head of the page reads it. */
    work: signal<Resource<WorkView> | undefined>(undefined),
    /** Number of entries of the work on the session that this page shows; undefined until they are read. */
    workSeen: signal<number | undefined>(undefined),
    /** Raised when the work on the session must be read again. */
    workChanges: signal(0),
    /** Whether its chain keeps a ledger. */
    hasLedger: computed(() => view.value?.verdict != null),
    /** The claims of its ledger, as their panel read them last. */
    claims: signal<Claims | undefined>(undefined),
    /** Whether these claims have been read, or could not be. */
    areClaimsSettled: signal(false),
    /** Id of the claim whose evidence was opened last. */
    claim: signal<string | undefined>(undefined),
    /** Why the session could not be read. */
    error: signal<Error | undefined>(undefined),
    /** While the connection is lost: the time of the last data, ISO 8601. */
    asOf: signal<string | undefined>(undefined),
    connection: signal<Connection | undefined>(undefined),
    /** Outcomes of approvals decided here, by approvalId; '' while undecided. Cards stay. */
    answered: signal<ReadonlyMap<string, string>>(new Map()),
    timeline,
    /** The latest question of an agent to people; undefined after a message of a person. */
    asked: computed(() => {
      const latest = timeline.size.value === 0 ? undefined : timeline.latestOf(isOfQuestion);
      return latest?.eventType === 'action' ? latest : undefined;
    }),
    /** States of unfolded results, by eventId. */
    results: new Map<string, ResultState>(),
    /** Wraps each change, so that the rows on the screen keep their place. */
    aroundChange: { current: (change: () => void) => change() },
    /** Called with the number of new events. */
    onAdded: { current: (_count: number) => {} },
  };
}
