// Commits as lines of a trace.

import type { Write } from '../../core/contract/store.ts';
import { executionType } from '../../core/schema/coreDocuments.ts';
import type { Execution } from '../../core/schema/execution.ts';

/** The states of calls in the trace. */
const CALL_LETTERS = {
  requested: '.',
  running: 'r',
  waiting: 'w',
  done: 'd',
  failed: 'f',
  unknown: 'u',
} as const;

/** The documents of a commit: `+` creates, `=` changes, `-` deletes. */
export function describeWrites(writes: readonly Write[]): string {
  return writes.map(describeWrite).join(' ');
}

function describeWrite({ op, path, type, value }: Write): string {
  const id = path.split('/').slice(2).join('/') || path;
  if (op === 'delete') return `-${id}`;
  const sign = op === 'create' ? '+' : '=';
  if (type !== (executionType as unknown)) {
    const { status } = value as { status?: string };
    const isState = path.split('/').length === 2 || path.split('/')[2] === 'stages';
    return `${sign}${id}${isState ? `(${status})` : ''}`;
  }
  const { status, iteration, lease, pendingCalls } = value as Execution;
  const calls = pendingCalls.map((call) => CALL_LETTERS[call.state]).join('');
  return `${sign}${id}(${status} ${iteration}${lease === null ? '' : ' held'}${calls && ` ${calls}`})`;
}
