// The messages that a rejected alert causes: one for each destination, tenant and period, which counts them.
// It has the codes of errors only, so that nothing of the alert leaves the installation.

import type { Notify } from '../../../config/notified.ts';
import { RELEASED } from '../../../core/contract/lease.ts';
import { createDocument, replaceDocument, type Write } from '../../../core/contract/store.ts';
import { errorMessage, TerminalError } from '../../../core/errors.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import type { OnRejectedAlert, RejectedAlert, RejectedConfig } from '../../../kits/alerts/rejectedAlert.ts';
import { type DeliveryGroup, deliveryGroupType, unsentProgress } from '../../../kits/deliveries/delivery.ts';
import { publishDelivery } from '../../../kits/deliveries/deliveryMessage.ts';

/** The period that one message counts, where no digest gives one. */
const PERIOD_MS = 3_600_000;
/** Between two edits of a count, in milliseconds. */
const EDIT_GAP_MS = 60_000;
/** How long a group is kept, in milliseconds. */
const KEEP_MS = 7 * 24 * 3_600_000;
/** Codes that a message names. */
const MAX_CODES = 5;
/** Counts stop here: a flood changes no further document. */
const MAX_COUNT = 1_000;

/** Stores the messages of a rejected alert, and publishes that new ones are due. */
export const REJECTED_GROUPS: OnRejectedAlert = async (alert, config, deps) => {
  const groups = await rejectedGroups(alert, config, deps);
  return {
    writes: groups.map(({ write }) => write),
    async follow() {
      for (const { groupId, write } of groups) {
        if (write.op !== 'create') continue;
        await publishDelivery(deps.publisher, { groupId }).catch((error: unknown) => {
          deps.log.warn({ err: error, groupId }, `the sweep sends a message: ${errorMessage(error)}`);
        });
      }
    },
  };
};

interface GroupWrite {
  groupId: string;
  write: Write;
}

/**
 * The writes that count a rejected alert for each destination that wants it. Its severity is unknown, so it
 * counts as critical. A chain that does not exist is replaced by the default one.
 * @throws RetryableError when the store fails.
 */
export async function rejectedGroups(
  { tenantId, chain, code }: RejectedAlert,
  config: RejectedConfig,
  { store, clock }: Pick<StateDeps, 'store'> & { clock: Pick<StateDeps['clock'], 'now'> },
): Promise<GroupWrite[]> {
  const now = clock.now();
  const wanted = chooseRejectedDestinations(tenantId, chain, config).filter(({ when }) =>
    when.includes('rejected'),
  );
  const found = wanted.map(async ({ to, digestMs }): Promise<GroupWrite[]> => {
    const periodMs = digestMs ?? PERIOD_MS;
    const period = Math.floor(now.getTime() / periodMs);
    const groupId = `${to}.rejected.${tenantId}.${periodMs}.${period}`;
    const path = deliveryGroupType.paths.deliveryGroup(groupId);
    const stored = await store.get(path, deliveryGroupType);
    if (stored === undefined) {
      const dueAt = digestMs === null ? now : new Date((period + 1) * periodMs);
      const group: DeliveryGroup = {
        destination: to,
        kind: 'rejected',
        sessionIds: [],
        count: 1,
        codes: [code],
        tenantId,
        shown: 0,
        ...RELEASED,
        ...unsentProgress(dueAt),
        expireAt: new Date(now.getTime() + KEEP_MS),
        createdAt: now,
      };
      return [{ groupId, write: createDocument(path, deliveryGroupType, group) }];
    }
    const { value, version } = stored;
    if (value.count >= MAX_COUNT) return [];
    const codes = [...new Set([...(value.codes ?? []), code])].slice(0, MAX_CODES);
    const isIdle = value.state === 'sent' && value.dueAt === null;
    const dueAt = isIdle ? new Date(now.getTime() + EDIT_GAP_MS) : value.dueAt;
    const counted = { ...value, codes, count: value.count + 1, dueAt };
    return [{ groupId, write: replaceDocument(path, deliveryGroupType, counted, version) }];
  });
  return (await Promise.all(found)).flat();
}

function chooseRejectedDestinations(
  tenantId: string,
  chain: string | null,
  { notify, defaultChain }: RejectedConfig,
): Notify[] {
  const request = { tenantId, rule: null, severity: 'critical' };
  try {
    return notify?.({ ...request, chain: chain ?? defaultChain }) ?? [];
  } catch (error) {
    if (!(error instanceof TerminalError) || chain === null) throw error;
    return notify?.({ ...request, chain: defaultChain }) ?? [];
  }
}
