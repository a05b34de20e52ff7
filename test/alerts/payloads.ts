// Payloads of all sources, by documented shapes: test/alerts/payloads/SOURCE.KIND.STATUS.json.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'test/alerts/payloads';

/** One payload, and what its file's name says of it. */
export interface SamplePayload {
  file: string;
  source: string;
  kind: string;
  status: string;
  data: Buffer;
}

/** All payloads, by name. */
export const PAYLOADS: readonly SamplePayload[] = readdirSync(FOLDER)
  .sort()
  .map((file) => {
    const [source = '', kind = '', status = ''] = file.split('.');
    return { file, source, kind, status, data: readFileSync(join(FOLDER, file)) };
  });

/** A payload by the name of its file. */
export function payloadOf(file: string): Buffer {
  const found = PAYLOADS.find((payload) => payload.file === file);
  if (found === undefined) throw new Error(`no payload ${file}`);
  return found.data;
}
