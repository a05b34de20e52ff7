// Waits for the session of an alert that was published: its id is known when the alert was taken, and not before.

import type { Store } from '../../contract/store.ts';
import { alertKeyType, paths } from '../../schema/documents.ts';

/**
 * The id of the session that an alert opened, as soon as it did.
 * @param key of the alert (`alertKeyOf`).
 * @param signal ends the wait.
 * @throws what the store throws; the signal's reason.
 */
export function awaitSessionId(key: string, store: Store, signal: AbortSignal): Promise<string> {
  let stop = () => {};
  const found = new Promise<string>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    stop = store.watch(
      { collection: paths.alertKeys, idRange: { from: key, to: key } },
      alertKeyType,
      ([document]) => document && resolve(document.value.sessionId),
      reject,
    );
  });
  return found.finally(() => stop());
}
