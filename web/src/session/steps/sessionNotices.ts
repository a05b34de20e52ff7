// Steps of the session, such as guidance, pauses, repeated alerts, by their time.

import type { SessionView } from '../../../../shared/lists/apiTypes.ts';
import { groupSteps, listStepEvents, type Step } from '../../model/steps.ts';
import type { Iteration, Timeline } from '../../model/timeline.ts';

/** A step of the session. */
export interface Notice {
  step: Step;
  /** ISO 8601. */
  at: string;
}

/** The steps that belong to no agent, by time. Executions of called agents are no part of them. */
export function listNotices(view: SessionView, timeline: Timeline): Notice[] {
  const known = new Set(
    view.stages.flatMap(({ executions }) => executions.map(({ executionId }) => executionId)),
  );
  const ids = timeline.size.value > 0 ? timeline.executionIds().filter((id) => !known.has(id)) : [];
  return ids
    .filter((id) => !id.includes('~'))
    .flatMap((id) => timeline.iterationsOf(id).value)
    .flatMap((iteration) => groupSteps(iteration.events.value))
    .map((step) => ({ step, at: listStepEvents(step)[0]?.createdAt ?? '' }))
    .sort((a, b) => a.at.localeCompare(b.at));
}

/** Notices by the stage in whose time they came; `before` the first one. */
export function byStage(
  notices: readonly Notice[],
  stages: SessionView['stages'],
): { before: Notice[]; during: ReadonlyMap<string, Notice[]> } {
  const started = stages.toSorted((a, b) => a.createdAt.localeCompare(b.createdAt));
  const stageAt = (at: string) => started.findLast(({ createdAt }) => createdAt <= at)?.stageId;
  const groups = Map.groupBy(notices, ({ at }) => stageAt(at));
  const during = new Map<string, Notice[]>();
  for (const [stageId, group] of groups) if (stageId !== undefined) during.set(stageId, group);
  return { before: groups.get(undefined) ?? [], during };
}

/** When an iteration started: when its model was called, else when its first event was stored. */
function findIterationStart({ call, events }: Iteration): string {
  return call.value?.startedAt ?? events.value[0]?.createdAt ?? '';
}

/** Iterations with the notices before each; those after the last iteration have no iteration. */
export function interleave(
  iterations: readonly Iteration[],
  notices: readonly Notice[],
): { notices: Notice[]; iteration: Iteration | undefined }[] {
  let from = 0;
  const rows = iterations.map((iteration) => {
    const start = notices.length > from ? findIterationStart(iteration) : '';
    const next = notices.findIndex(({ at }, index) => index >= from && at > start);
    const to = next < 0 ? notices.length : next;
    const before = notices.slice(from, to);
    from = to;
    return { notices: before, iteration };
  });
  const left = notices.slice(from);
  return left.length === 0 ? rows : [...rows, { notices: left, iteration: undefined }];
}
