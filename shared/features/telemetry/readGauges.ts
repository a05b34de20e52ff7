// The current values of the metrics that are no counts: reads the waiting work.

import type { StateDeps } from '../../core/kernel/deps.ts';
import { captureFailure } from '../../core/kernel/documents/reading.ts';
import { deliveryType } from '../../kits/deliveries/delivery.ts';
import { listApprovals } from '../../kits/views/listApprovals.ts';
import { deliveryAttributes, type Measurement } from './metrics.ts';

/** Waiting messages that are read, at most; the gauge never shows more. */
const MAX_MESSAGES = 300;
/** Later than every time at which a message is due. */
const FAR_MS = 30 * 24 * 3_600_000;

/** Reads the gauges. Unreadable documents are not counted. @throws as the store. */
export async function readGauges({
  store,
  clock,
}: Pick<StateDeps, 'store' | 'clock'>): Promise<Measurement[]> {
  const now = clock.now();
  const approvals = await listApprovals(store, now);
  const query = {
    collectionId: 'deliveries',
    field: 'dueAt',
    limit: MAX_MESSAGES,
    to: new Date(now.getTime() + FAR_MS),
  };
  const found: string[] = [];
  for await (const page of store.findByTime(query)) {
    found.push(...page);
    if (found.length >= MAX_MESSAGES) break;
  }
  const read = await Promise.all(
    found.slice(0, MAX_MESSAGES).map((path) => captureFailure(store.get(path, deliveryType))),
  );
  const open = read.flatMap(({ value }) => (value?.value.dueAt ? [value.value] : []));
  const counts = Map.groupBy(open, ({ destination, state }) => `${state}.${destination}`);
  return [
    { metric: 'inquest.approvals.waiting', attributes: {}, value: approvals.length },
    ...[...counts.values()].flatMap((messages) => {
      const [{ destination, state } = { destination: '', state: '' }] = messages;
      const attributes = deliveryAttributes(destination, state);
      return [{ metric: 'inquest.deliveries.open', attributes, value: messages.length }];
    }),
  ];
}
