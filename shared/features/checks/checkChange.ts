// Requests checks some time after a change, as schedules.yaml defines them.

import { createHash } from 'node:crypto';
import type { Change } from '../../changes/change.ts';
import type { ChangeChecks } from '../../config/changeChecks.ts';
import type { StateDeps } from '../../core/kernel/deps.ts';
import { quoteText } from '../../text/cut.ts';
import { matchesAny } from '../../text/pattern.ts';
import { requestWrite } from './checkRequest.ts';

/** A change that is reported later than this after its check was due is history: it opens none. */
const LATE_MS = 60 * 60_000;
const MAX_TITLE = 300;
const ID_DIGITS = 32;

/**
 * Requests the checks of a change that is done. Each check of a change is requested once, whatever is
 * delivered twice; the sweep opens it at its time.
 * @throws RetryableError when the store fails.
 */
export async function checkChange(
  { tenantId, key, kind, status, resource, title, source, at }: Change,
  checks: ChangeChecks,
  { store, clock }: Pick<StateDeps, 'store' | 'clock'>,
): Promise<void> {
  if (status !== 'done') return;
  const now = clock.now();
  for (const [name, { kinds, resources, after, question, chain = null }] of Object.entries(checks)) {
    const slot = new Date(at.getTime() + after);
    const isMeant = kinds.some((one) => one === kind) && matchesAny(resource, resources, 'at the end');
    if (!isMeant || now.getTime() - slot.getTime() > LATE_MS) continue;
    const digest = createHash('sha256')
      .update(JSON.stringify([tenantId, name, key]))
      .digest('hex');
    const content = {
      title: quoteText(`Check after ${title}`, MAX_TITLE),
      question,
      labels: { resource, source },
      chain,
    };
    const request = {
      checkId: `change.${digest.slice(0, ID_DIGITS)}`,
      tenantId,
      userId: null,
      schedule: null,
      slot,
      content,
      previousId: null,
      requestedBy: `afterChanges.${name}`,
    };
    await store.commit([requestWrite(request, now)]);
  }
}
