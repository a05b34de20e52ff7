// Recordings: of a folder, or copied from a stored session.

import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { copySessionDocuments, type Recording, readRecording } from '../../shared/cases/recording.ts';
import {
  type DocumentPage,
  decodeDate,
  type SessionDocument,
} from '../../shared/kits/views/documents/sessionDocuments.ts';
import type { TenantOptions } from '../options/commandOptions.ts';
import { UsageError } from '../process/usageError.ts';
import type { ApiClient } from './apiClient.ts';
import { withApi } from './withApi.ts';

/** The file of a recording in its folder. */
export const RECORD_FILE = 'record.json';

/** The recording in a folder, or a copy of the stored session. @throws UsageError without one. */
export async function openRecording(named: string, options: TenantOptions): Promise<Recording> {
  if (existsSync(named) && statSync(named).isDirectory()) {
    const file = join(named, RECORD_FILE);
    if (!existsSync(file))
      throw new UsageError(`${named} has no ${RECORD_FILE}; \`inquest record\` writes one`);
    return readRecording(readFileSync(file, 'utf8'), file);
  }
  return storedRecording(named, options);
}

/**
 * A copy of the documents of a session.
 * @param mask changes texts. Default: none.
 * @param running whether the session can be one that has not ended. Default: it cannot.
 * @throws Error of the API, as for a session that does not exist.
 */
export async function storedRecording(
  session: string,
  { url, tenant }: TenantOptions,
  { mask, running = false }: { mask?: (text: string) => string; running?: boolean } = {},
): Promise<Recording> {
  return withApi({ tenant, ...(url !== undefined && { url }) }, async (api) => {
    const sessionId = await api.findSession(session);
    const recording = await copySessionDocuments(
      sessionId,
      readSessionDocuments(sessionId, running, api),
      mask,
    );
    if (recording === undefined) throw new UsageError(`session ${sessionId} was deleted meanwhile`);
    return recording;
  });
}

async function* readSessionDocuments(
  sessionId: string,
  running: boolean,
  api: ApiClient,
): AsyncGenerator<SessionDocument> {
  for (let after: string | null | undefined; after !== null; ) {
    const page: DocumentPage = await api.get('/v1/sessions/{sessionId}/documents', {
      sessionId,
      after,
      ...(running && { running: 'true' }),
    });
    for (const one of page.documents) yield JSON.parse(JSON.stringify(one), (_, value) => decodeDate(value));
    after = page.next;
  }
}
