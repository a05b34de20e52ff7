// A plan of Terraform in some lines: how much changes, and each change that can lose something.

import type { PlanJson } from './terraform.ts';

/** Types of resources that hold data. */
const HOLDS_DATA: Record<string, string> = {
  google_firestore_database: 'sessions and knowledge',
  google_pubsub_topic: 'messages that are not delivered yet',
  google_pubsub_subscription: 'messages that are not delivered yet',
  google_secret_manager_secret: 'values of a secret',
  google_storage_bucket: 'archives',
};

/** The changes of a plan. */
export interface PlanSummary {
  create: number;
  update: number;
  replace: number;
  delete: number;
  /** Addresses of resources that are replaced or deleted, and the data that is lost with them. */
  removed: { address: string; isReplaced: boolean; loses: string | null }[];
}

/** Counts the changes of a plan. Reads of data sources and resources without a change do not count. */
export function summarizePlan({ resource_changes }: PlanJson): PlanSummary {
  const summary: PlanSummary = { create: 0, update: 0, replace: 0, delete: 0, removed: [] };
  for (const { address, type, change } of resource_changes) {
    const kind = classifyActions(change.actions);
    if (kind === undefined) continue;
    summary[kind]++;
    if (kind === 'replace' || kind === 'delete')
      summary.removed.push({ address, isReplaced: kind === 'replace', loses: HOLDS_DATA[type] ?? null });
  }
  return summary;
}

function classifyActions(actions: readonly string[]): 'create' | 'update' | 'replace' | 'delete' | undefined {
  if (actions.includes('create') && actions.includes('delete')) return 'replace';
  const [action] = actions;
  return action === 'create' || action === 'update' || action === 'delete' ? action : undefined;
}

/** Whether a plan changes nothing. */
export const isEmpty = (summary: PlanSummary): boolean =>
  summary.create + summary.update + summary.replace + summary.delete === 0;

/** The summary for people. Removed resources that hold data come first. */
export function summaryLines(summary: PlanSummary): string[] {
  if (isEmpty(summary)) return ['plan: no changes'];
  const counts = (['create', 'update', 'replace', 'delete'] as const)
    .filter((kind) => summary[kind] > 0)
    .map((kind) => `${kind} ${summary[kind]}`);
  const removed = [...summary.removed].sort((a, b) => Number(b.loses !== null) - Number(a.loses !== null));
  return [
    `plan: ${counts.join(', ')}`,
    ...removed.map(({ address, isReplaced, loses }) => {
      const verb = isReplaced ? 'replaces' : 'deletes';
      return `  ${verb} ${address}${loses === null ? '' : `, and loses ${loses}`}`;
    }),
  ];
}
