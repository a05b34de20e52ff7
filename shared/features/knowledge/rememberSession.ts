// Stores a session's findings in the batch that ends it: they exist exactly if it has ended.

import { putDocument, type Write } from '../../core/contract/store.ts';
import type { StageFeature } from '../../core/kernel/stageFeature.ts';
import type { Execution } from '../../core/schema/execution.ts';
import type { Session } from '../../core/schema/session.ts';
import { withoutMarks } from '../../kits/knowledge/withoutMarks.ts';
import { knowledgeType } from '../../search/knowledge.ts';
import { sessionEntry } from '../../search/sessionEntry.ts';

/** The write of the entry; none without findings. Without precondition it never blocks the end. */
export function rememberSession(ended: Session, executions: readonly Execution[], now: Date): Write[] {
  const entry = sessionEntry(ended, executions, now, withoutMarks);
  return entry === undefined
    ? []
    : [putDocument(knowledgeType.paths.knowledgeEntry(entry.tenantId, entry.key), knowledgeType, entry)];
}

/** Stores the findings of each session that ends. */
export const SESSION_ENTRIES: StageFeature = { writesOfEnd: rememberSession };
