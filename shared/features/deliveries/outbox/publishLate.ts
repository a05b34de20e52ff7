// Requests late messages again: their request was lost, or their destination asked for a pause.

import { errorMessage, InquestError } from '../../../core/errors.ts';
import type { StateDeps } from '../../../core/kernel/deps.ts';
import type { FeatureReport } from '../../../core/kernel/feature/sweepFeature.ts';
import { type DueThread, publishDelivery } from '../../../kits/deliveries/deliveryMessage.ts';

/** The most requests of one run. The next run finds the rest. */
const MAX_REQUESTS = 500;
/** Documents of a page: only paths. */
const PAGE_SIZE = 300;

/** Publishes a request for each destination with late messages, latest first. Reports errors. */
export async function publishLate(deps: StateDeps): Promise<FeatureReport> {
  const report: FeatureReport = { started: 0, failures: [] };
  try {
    for (const due of await findDue(deps)) await publishDelivery(deps.publisher, due);
  } catch (error) {
    if (!(error instanceof InquestError)) throw error;
    const message = errorMessage(error);
    report.failures.push({ sessionId: 'deliveries', code: error.code, message });
    deps.log.error({ err: error }, `late messages were not published: ${message}`);
  }
  return report;
}

async function findDue({ store, clock }: StateDeps): Promise<DueThread[]> {
  const found = new Map<string, DueThread>();
  for (const collectionId of ['inbox', 'deliveries', 'deliveryGroups']) {
    const query = { collectionId, field: 'dueAt', to: clock.now(), limit: PAGE_SIZE };
    for await (const page of store.findByTime(query)) {
      for (const path of page) {
        const due = dueAt(path);
        found.set(JSON.stringify(due), due);
      }
      if (found.size >= MAX_REQUESTS) return [...found.values()].slice(0, MAX_REQUESTS);
    }
  }
  return [...found.values()];
}

/** `sessions/{sessionId}/deliveries/{destination}.{event}.{key}`, `deliveryGroups/{id}`, `inbox/{id}`. */
function dueAt(path: string): DueThread {
  const [root, id = '', , delivery = ''] = path.split('/');
  if (root === 'deliveryGroups') return { groupId: id };
  if (root === 'inbox') return { inboxId: id };
  return { sessionId: id, destination: delivery.split('.')[0] ?? '' };
}
