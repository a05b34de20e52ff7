// Documents of each list with pages that is no list of sessions, alerts or changes.

import { createDocument, type Store } from '../../shared/core/contract/store.ts';
import {
  approvalType,
  deliveryType,
  droppedAlertsType,
  guidanceType,
  knowledgeType,
  paths,
  rejectedMessageType,
  storedAgentType,
  workType,
} from '../../shared/lists/documents.ts';
import {
  sampleApproval,
  sampleDelivery,
  sampleDroppedAlerts,
  sampleGuidance,
  sampleKnowledge,
  sampleRejectedMessage,
  sampleStoredAgent,
  sampleWork,
} from './samples.ts';

/** The lists, the field of an answer that has their elements, and the name of an element. */
export const LISTED = {
  listApprovals: { list: 'approvals', name: 'approvalId' },
  listKnowledge: { list: 'entries', name: 'key' },
  listAgents: { list: 'agents', name: 'name' },
  listRejectedMessages: { list: 'messages', name: 'hour' },
  listDroppedAlerts: { list: 'alerts', name: 'rule' },
  listWork: { list: 'entries', name: 'number' },
  listGuidance: { list: 'guidance', name: 'guidance.number' },
  listDeliveries: { list: 'deliveries', name: 'deliveryId' },
};

/** Stores `count` documents of each list, of a session and a tenant where they have one. */
export async function storeListed(
  count: number,
  { sessionId, tenantId, now }: { sessionId: string; tenantId: string; now: Date },
  store: Pick<Store, 'commit'>,
): Promise<void> {
  const until = new Date(now.getTime() + 3_600_000);
  const day = now.toISOString().slice(0, 10);
  await store.commit(
    Array.from({ length: count }, (_, n) => {
      const name = `n${String(n).padStart(3, '0')}`;
      const number = n + 1;
      const approval = sampleApproval({ approvalId: `appro-${name}`, sessionId, until });
      const entry = sampleKnowledge({ key: name, tenantId });
      const hour = `${day}T${String(n % 24).padStart(2, '0')}`;
      const rejected = sampleRejectedMessage({ hour, function: `f${Math.floor(n / 24)}`, expireAt: until });
      const dropped = sampleDroppedAlerts({ day, rule: name, tenantId, expireAt: until });
      const message = sampleDelivery({ sessionId, key: name });
      return [
        createDocument(paths.approval(approval.approvalId), approvalType, approval),
        createDocument(paths.knowledgeEntry(tenantId, name), knowledgeType, entry),
        createDocument(paths.agent(name), storedAgentType, sampleStoredAgent({ name })),
        createDocument(
          paths.rejectedMessage(rejected.function, hour, rejected.code),
          rejectedMessageType,
          rejected,
        ),
        createDocument(paths.droppedAlertsOf(day, name, tenantId), droppedAlertsType, dropped),
        createDocument(paths.work(sessionId, number), workType, sampleWork({ sessionId, number })),
        createDocument(
          paths.guidance(sessionId, number),
          guidanceType,
          sampleGuidance({ sessionId, number }),
        ),
        createDocument(paths.delivery(sessionId, 'oncall', 'ended', name), deliveryType, message),
      ];
    }).flat(),
  );
}
