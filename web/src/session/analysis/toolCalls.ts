// The calls of the tools of a session, to which their names lead.

import { useMemo } from 'preact/hooks';
import type { TimelineEvent } from '../../../../shared/lists/apiTypes.ts';
import { stepId } from '../../model/address.ts';
import { isCall, shortName } from '../../model/steps.ts';
import { useSession } from '../state/sessionState.ts';
import type { ToolCall } from './ToolName.tsx';

/** Calls by their tool's whole name, and whole names by spelling. Only new tools change names. */
export function useToolCalls() {
  const { timeline } = useSession();
  const size = timeline.size.value;
  const calls = useMemo(() => groupCallsByTool(timeline.all()), [timeline, size]);
  const key = [...calls.keys()].join(' ');
  const names = useMemo(() => spellings(calls), [key]);
  return { calls, names };
}

/** Calls by the whole name of their tool. */
function groupCallsByTool(events: readonly TimelineEvent[]): Map<string, ToolCall[]> {
  const made = events.filter(isCall).map((event) => ({
    toolName: event.metadata.toolName,
    href: `#${stepId(event)}`,
    iteration: event.iteration,
  }));
  return Map.groupBy(made, ({ toolName }) => toolName);
}

/** Names by their spellings: with and without the server, where no two servers have a tool of that name. */
function spellings(calls: ReadonlyMap<string, ToolCall[]>): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of calls.keys()) {
    const short = shortName(name);
    const isAmbiguous = [...calls.keys()].some((other) => other !== name && shortName(other) === short);
    names.set(name, name);
    // A word such as "search" has other meanings.
    if (!isAmbiguous && short.includes('_')) names.set(short, name);
  }
  return names;
}
