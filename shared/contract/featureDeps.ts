// The dependencies of features, beside those of the core. Wiring passes them with these.

import type { AgentPlanner } from './agentText.ts';
import type { BackgroundModel, NoticeKeys } from './backgroundModel.ts';
import type { Embed } from './embedder.ts';
import type { FetchRunbook } from './fetchRunbook.ts';
import type { Quotas } from './quotas.ts';
import type { StoredAgents } from './storedAgents.ts';

/** What features need. A feature works without it. */
export interface FeatureDeps {
  /** Agents that override those of the configuration's files. Default: none. */
  storedAgents?: StoredAgents | undefined;
  /** Resolves agents that others can ask, also stored ones. Default: those of `agents`. */
  catalog?: AgentPlanner | undefined;
  /** Reads the runbooks that alerts link to. Absent: none is read. */
  fetchRunbook?: FetchRunbook | undefined;
  /** Embeds queries of the knowledge base. Absent: queries compare by spelling. */
  embed?: Embed | undefined;
  /** Asks models that answer while nothing runs. Absent: each answer is waited for. */
  background?: BackgroundModel | undefined;
  /** Verify notices of such models. Absent: they are refused. */
  noticeKeys?: NoticeKeys | undefined;
  /** Limits of models and observed systems, which all instances share. Absent: none. */
  quotas?: Quotas | undefined;
  /** Exports remaining spans at a message's end, in at most 2 s. Never fails. Absent: telemetry is off. */
  finishTelemetry?: (() => Promise<void>) | undefined;
}
