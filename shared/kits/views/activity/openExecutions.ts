// Reads the current state of running agents, without conversations: two reads for any number.

import type { RawDocument, RawDocuments, RawValue } from '../../../contract/rawDocuments.ts';
import type { Store } from '../../../core/contract/store.ts';
import { findDueExecutions } from '../../../core/kernel/execution/findDue.ts';
import { numberAt, textAt, textsInList } from '../fieldAt.ts';

/** An execution that has not ended. Fields that its document lacks, or that have a wrong type, are empty. */
export interface OpenExecution {
  sessionId: string;
  agentName: string;
  /** `pending`: not started; `active`; `waiting`: its calls wait for other agents or people. */
  status: string;
  /** From 1. */
  iteration: number;
  /** The code of the current outage of its model; null while the model answers. */
  outageCode: string | null;
  /** When that outage started, in ISO 8601; null without one. */
  outageSince: string | null;
  /** Names of the tool servers that its last attempt could not reach. */
  missingServers: string[];
}

/** Paths of a query, one of several side by side. */
const PAGE_SIZE = 60;
/** The most executions that are read. */
const MAX_READ = 300;
/** The fields that `readOpenExecution` needs. */
export const OPEN_FIELDS = ['sessionId', 'agentName', 'status', 'iteration', 'outage', 'missingServers'];

/**
 * At most 300 executions that have not ended, mostly those that are due first.
 * @throws RetryableError when the store fails.
 */
export async function readOpenExecutions({
  store,
  documents,
}: {
  store: Pick<Store, 'findByTime'>;
  documents: RawDocuments;
}): Promise<OpenExecution[]> {
  const paths: string[] = [];
  // Each execution that has not ended has a time at which it is due.
  for await (const page of findDueExecutions({ from: new Date(0), limit: PAGE_SIZE }, store)) {
    paths.push(...page);
    if (paths.length >= MAX_READ) break;
  }
  return (await documents.getMany(paths.slice(0, MAX_READ), OPEN_FIELDS)).map(readOpenExecution);
}

/** The state of an execution; needs `OPEN_FIELDS`. */
export function readOpenExecution({ fields }: RawDocument): OpenExecution {
  const outage = fields.get('outage');
  return {
    sessionId: textAt(fields, 'sessionId') ?? '',
    agentName: textAt(fields, 'agentName') ?? '',
    status: textAt(fields, 'status') ?? '',
    iteration: numberAt(fields, 'iteration') ?? 0,
    outageCode: textAt(fields, 'outage', 'code'),
    outageSince: outage instanceof Map ? formatStoredTime(outage.get('since')) : null,
    missingServers: textsInList(fields, ['missingServers'], 'name'),
  };
}

/** A time in ISO 8601; null for anything else. */
function formatStoredTime(value: RawValue | undefined): string | null {
  const isTime = typeof value === 'object' && value !== null && 'type' in value && value.type === 'timestamp';
  return isTime ? value.text : null;
}
