// The API of one machine on documents in memory: what the page asks in development, in its tests and in its
// pictures.

import { localAccess } from '../../shared/api/access/localAccess.ts';
import type { ApiDeps } from '../../shared/api/http/route.ts';
import type { WebPage } from '../../shared/api/pages/webPage.ts';
import { createSnsService } from '../../shared/api/webhooks/snsService.ts';
import { loadSessionConfig } from '../../shared/config/load.ts';
import { deleteDocument, putDocument } from '../../shared/core/contract/store.ts';
import { systemClock } from '../../shared/core/kernel/deps.ts';
import { isTerminal } from '../../shared/core/schema/common.ts';
import { rawDocumentType } from '../../shared/core/schema/documentType.ts';
import { DEFAULT_TENANT, type Session } from '../../shared/core/schema/session.ts';
import type { TimelineEvent } from '../../shared/core/schema/timelineEvent.ts';
import { createOwnSignatures } from '../../shared/kits/access/signatures.ts';
import { AGENT_MASKING } from '../../shared/kits/agents/editAgents.ts';
import { createStoredAgents } from '../../shared/kits/agents/storedAgents.ts';
import { createAlertCheck } from '../../shared/kits/alerts/checkAlert.ts';
import { countAgain } from '../../shared/kits/counts/count.ts';
import type { LiveText } from '../../shared/kits/live/liveText.ts';
import { createApi } from '../../shared/lists/createApi.ts';
import { liveTextType, paths, sessionType } from '../../shared/lists/documents.ts';
import { PARTS } from '../../shared/lists/parts.ts';
import { countEnded } from '../../shared/lists/sweepFeatures.ts';
import { exportConversation } from '../../shared/llm/interchange/exportConversation.ts';
import { createLogger } from '../../shared/log.ts';
import { cleanText } from '../../shared/masking/cleanText.ts';
import { createMasker } from '../../shared/masking/masker.ts';
import { createMaskers } from '../../shared/masking/maskers.ts';
import { packageVersion } from '../../shared/projectFiles.ts';
import type { ApiRole } from '../../shared/schema/apiRole.ts';
import { checkParts } from '../../shared/store/checkedParts.ts';
import { createMemoryPublisher } from '../../shared/store/memory/memoryPublisher.ts';
import { createMemoryStore } from '../../shared/store/memory/memoryStore.ts';
import { composeState } from '../../shared/wiring/composeState.ts';
import { EXTENSION_NAMES } from '../../shared/wiring/extensions.ts';
import { operationDocuments } from '../fixtures/operations.ts';
import {
  documentsOf,
  type FixtureDocument,
  type SessionFixture,
  storedEvent,
  withDerivedFields,
} from './fixtures.ts';
import { createStoredDocuments } from './storedDocuments.ts';

const CONFIG = `${import.meta.dirname}/../fixtures/config`;
const LIVE_MS = 60_000;

/** What the database holds, and who asks. */
export interface Fixtures {
  sessions: SessionFixture[];
  /** Who asks. Default: an admin, as on one machine. */
  me?: { name: string; role: ApiRole } | undefined;
  /** The alert to try the configuration with. Default: it has none. */
  exampleAlert?: string | undefined;
}

/** Live output of a model, or its end. */
type Said = Pick<LiveText, 'executionId' | 'iteration'> &
  Partial<Pick<LiveText, 'text' | 'thinking'>> & { ended?: boolean };

/**
 * Starts an API.
 * @param now Its clock. Default: that of this machine.
 * @param page The dashboard. Default: none.
 */
export async function createPageApi(
  { sessions, me, exampleAlert }: Fixtures,
  { now = () => new Date(), page }: { now?: (() => Date) | undefined; page?: WebPage } = {},
) {
  const store = checkParts(createMemoryStore(now), PARTS);
  const deps = { ...servicesOn(store, now), exampleAlert };
  const put = async (documents: readonly FixtureDocument[]): Promise<void> => {
    for (const { path, data } of documents) await store.commit([putDocument(path, rawDocumentType, data)]);
  };
  await put([...operationDocuments(now()), ...sessions.flatMap(documentsOf)]);
  const ended = sessions.map(({ session }) => session).filter(({ status }) => isTerminal(status));
  await store.commit(ended.map((one) => countAgain(one, now())));
  const count = () => countEnded(deps.documents).run(deps);
  await count();
  const caller = me && { tenantId: DEFAULT_TENANT, userId: null, ...me };
  const access = caller
    ? Object.assign(async () => caller, { recognises: () => true })
    : localAccess(deps.mask);
  return {
    fetch: createApi(deps, { access, page, checksAnswers: true }).fetch,
    /** Writes documents, as the installation would. */
    put,
    /** Counts ended and reviewed sessions for reports, as the sweep does. */
    count,
    /** Adds an event, or replaces one. */
    push: (event: TimelineEvent) => put([storedEvent(event)]),
    /** Shows live text of a model. */
    async say(
      sessionId: string,
      { executionId, iteration, text = '', thinking = '', ended }: Said,
    ): Promise<void> {
      const path = paths.live(sessionId, executionId);
      const until = new Date(now().getTime() + LIVE_MS);
      const live = { sessionId, executionId, iteration, text, thinking, textStart: 0, thinkingStart: 0 };
      await store.commit([
        ended
          ? deleteDocument(path, liveTextType)
          : putDocument(path, liveTextType, { ...live, verbatim: true, freshUntil: until, expireAt: until }),
      ]);
    },
    /** Changes a session, after other documents. @throws Error for an unknown session. */
    async change(
      sessionId: string,
      part: Partial<Session>,
      others: readonly FixtureDocument[] = [],
    ): Promise<void> {
      const path = paths.session(sessionId);
      const found = await store.get(path, sessionType);
      if (found === undefined) throw new Error(`there is no session ${sessionId}`);
      await put(others);
      const changed = withDerivedFields({ ...found.value, ...part });
      await store.commit([putDocument(path, sessionType, changed)]);
    },
  };
}

function servicesOn(store: ApiDeps['store'], now: () => Date): ApiDeps {
  const config = loadSessionConfig(CONFIG, EXTENSION_NAMES);
  const state = composeState({
    store,
    publisher: createMemoryPublisher(),
    clock: { ...systemClock, now },
    log: createLogger({ LOG_LEVEL: 'silent' }),
  });
  const maskerFor = createMaskers({ known: [], rules: config.masking });
  const masker = createMasker({ known: [], rules: config.masking });
  return {
    ...state,
    sign: createOwnSignatures().sign,
    maskerFor,
    storedAgents: createStoredAgents(state),
    config,
    documents: createStoredDocuments(store),
    checkAlert: createAlertCheck(maskerFor),
    webhooks: { sources: {}, sns: createSnsService(globalThis.fetch) },
    slackApps: {},
    version: packageVersion(),
    documentUrl: undefined,
    exportConversation,
    agentMasker: createMasker({ known: [], rules: AGENT_MASKING }),
    mask: (text) => cleanText(masker, text).text,
  };
}
