// Reads the pieces of a result that is stored whole.

import type { Store } from '../../core/contract/store.ts';
import { paths, resultPartType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';
import { resultPartId } from '../../core/schema/ids.ts';
import type { StoredResult } from '../../core/schema/storedResult.ts';

/** The texts of the stored pieces, in order; fewer where some are missing. @throws RetryableError */
export async function readPieces(
  { sessionId, executionId }: Pick<Execution, 'sessionId' | 'executionId'>,
  { id, firstPart, parts }: StoredResult,
  store: Pick<Store, 'list'>,
): Promise<string[]> {
  const message = Number(id.slice(1));
  const from = resultPartId(executionId, message, firstPart);
  const to = resultPartId(executionId, message, firstPart + parts - 1);
  const found = await store.list(
    { collection: paths.results(sessionId), idRange: { from, to } },
    resultPartType,
  );
  return found.map(({ value }) => value.text);
}
