// Waits for the session of a published alert: its id is known only after intake.

import type { Store } from '../../core/contract/store.ts';
import { alertKeyType } from '../alerts/fates/alertKeyDocument.ts';

/**
 * The id of the session that an alert opened, as soon as it exists.
 * @param key of the alert (`deriveAlertKey`).
 * @param signal ends the wait.
 * @throws the errors of the store; the signal's reason.
 */
export function awaitSessionId(key: string, store: Store, signal: AbortSignal): Promise<string> {
  let stop = () => {};
  const found = new Promise<string>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    stop = store.watch(
      { collection: alertKeyType.paths.alertKeys, idRange: { from: key, to: key } },
      alertKeyType,
      ([document]) => document && resolve(document.value.sessionId),
      reject,
    );
  });
  return found.finally(() => stop());
}
