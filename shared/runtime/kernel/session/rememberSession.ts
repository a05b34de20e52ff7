// Stores what a session found, in the batch that ends it: it is there exactly if the session has ended.

import { put, type Write } from '../../../contract/store.ts';
import { MARK } from '../../../masking/marks.ts';
import { knowledgeType, paths } from '../../../schema/documents.ts';
import type { Session } from '../../../schema/session.ts';
import { sessionEntry } from '../../../search/sessionEntry.ts';

/** What stands for the mark of a secret: its digits say something in their own session alone. */
const NO_MARK = '***';

/** The write of the entry; none for a session that found nothing. It has no precondition, so that it never keeps one from ending. */
export function rememberSession(ended: Session, now: Date): Write[] {
  const entry = sessionEntry(ended, now, withoutMarks);
  return entry === undefined
    ? []
    : [put(paths.knowledgeEntry(entry.tenantId, entry.key), knowledgeType, entry)];
}

/** The text without what marks of a session say. */
export function withoutMarks(text: string): string {
  return text.replace(MARK, NO_MARK);
}
