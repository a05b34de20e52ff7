// The body of `ingestChange`: a message of the topic `changes` becomes documents of changes.

import { randomBytes } from 'node:crypto';
import type { Change } from '../../changes/change.ts';
import { readChanges } from '../../changes/readChange.ts';
import type { ChangeChecks } from '../../config/changeChecks.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';
import { receiveMessage } from '../../kits/messages/receiveMessage.ts';
import { ownerOfAlert } from '../../kits/tenants/alertContext.ts';
import { noteLateChange } from './noteLateChange.ts';
import { noteSource, storeChange } from './storeChange.ts';

/** The dependencies of what features do with a change. */
type ChangeDeps = Pick<AlertDeps, 'store' | 'clock' | 'log' | 'maskerFor'>;

/** The dependencies of the handler. */
export interface ChangeHandlerDeps extends ChangeDeps {
  /** The checks after changes. Absent: none. */
  changeChecks?: ChangeChecks | undefined;
}

/** What a feature does with a change that was stored. */
export type OnChange = (change: Change, checks: ChangeChecks, deps: ChangeDeps) => Promise<void>;

/**
 * Handles one event of the topic `changes`.
 * @param features run for each stored change, in order.
 * @throws RetryableError when it must be delivered again.
 */
export async function receiveChange(
  event: unknown,
  deps: ChangeHandlerDeps,
  features: readonly OnChange[],
): Promise<void> {
  const settled = async (change: Change) => {
    for (const act of features) await act(change, deps.changeChecks ?? {}, deps);
  };
  await receiveMessage('ingestChange', event, deps, (message) => takeChanges(message, deps, settled));
}

/**
 * Takes in one delivery. The attribute `tenant` of the message names its owner.
 * @param settled is called for each change that has a document of its own, also when a message is delivered
 * again.
 * @throws TerminalError for a message that is no change; RetryableError when it must be delivered again.
 */
async function takeChanges(
  { messageId, data, attributes, publishedAt }: PubsubMessage,
  deps: ChangeDeps,
  settled: (change: Change) => Promise<void>,
): Promise<void> {
  // No session has this key: changes are masked again for the session that shows them.
  const masker = deps.maskerFor(randomBytes(16).toString('hex'));
  const { tenantId } = ownerOfAlert(attributes, masker);
  const now = deps.clock.now();
  const receivedAt = publishedAt ?? now;
  const { source, changes, ignored } = readChanges(data, masker, { attributes, now, receivedAt });
  await noteSource(source, tenantId, deps);
  if (ignored !== null) deps.log.debug({ messageId, source }, `no change: ${ignored}`);
  for (const read of changes) {
    const { outcome, id, change } = await storeChange(read, tenantId, deps);
    deps.log.debug({ messageId, source, outcome, change: id }, 'change handled');
    if (outcome === 'stored') await noteLateChange(id, change, deps);
    if (outcome !== 'counted') await settled(change);
  }
}
