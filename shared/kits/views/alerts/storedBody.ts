// Reads the stored body of an alert, to publish it again.

import { alertBodyType } from '../../../alerts/schema/alert.ts';
import type { Store } from '../../../core/contract/store.ts';
import { MARK } from '../../../masking/scan/maskMarks.ts';
import { parseJson } from '../../../text/json.ts';

/**
 * The body of the alert that opened a session, with marks in place of secrets; undefined when it, or a part
 * of it, was deleted.
 * @throws RetryableError when the store fails; TerminalError for documents that cannot be read.
 */
export async function readStoredBody(
  sessionId: string,
  store: Pick<Store, 'list'>,
): Promise<Buffer | undefined> {
  const parts = await store.list({ collection: alertBodyType.paths.alertBodies(sessionId) }, alertBodyType);
  const isWhole = parts.length > 0 && parts.every(({ value }, index) => value.part === index + 1);
  return isWhole ? bodyToPublish(parts.map(({ value }) => value.text).join('')) : undefined;
}

/** A masked body, marks quoted: a mark can replace a number, and only a string keeps JSON valid. */
export function bodyToPublish(body: string): Buffer {
  if (parseJson(body) !== undefined) return Buffer.from(body);
  const stringOrMark = new RegExp(`"(?:[^"\\\\]|\\\\.)*"|${MARK.source}`, 'g');
  const quoted = body.replace(stringOrMark, (found) =>
    found.startsWith('"') ? found : JSON.stringify(found),
  );
  return Buffer.from(parseJson(quoted) === undefined ? body : quoted);
}
