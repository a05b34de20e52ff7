// Simulates people who correct the grouping of alerts while these arrive: they split and merge, twice, at the
// same moment and again when nothing answers. Problems fire again and are resolved, with and without labels
// that they share.

import type { AlertFate } from '../../../../shared/alerts/schema/alertFate.ts';
import { TOPICS } from '../../../../shared/core/contract/publisher.ts';
import { InquestError } from '../../../../shared/core/errors.ts';
import type { RuntimeDeps } from '../../../../shared/core/kernel/deps.ts';
import { isTerminal } from '../../../../shared/core/schema/common.ts';
import type { Random } from '../../../../shared/engine/testing/random.ts';
import { mergeSession } from '../../../../shared/features/correlation/mergeSession.ts';
import { splitAlert } from '../../../../shared/features/correlation/splitAlert.ts';
import { type AlertKey, readFate } from '../../../../shared/kits/alerts/fates/alertKeyDocument.ts';
import { SPLIT_ATTRIBUTE } from '../../../../shared/kits/alerts/rerun.ts';
import { deriveAlertKey } from '../../../../shared/kits/alerts/sessionId.ts';
import { paths } from '../../../../shared/lists/documents.ts';
import { MINUTE } from '../../faults.ts';
import type { Cloud } from '../../simulatedCloud.ts';
import type { World } from '../../world.ts';
import type { RelatedAlert } from './simulatedRelated.ts';

/** How long a person waits for an answer, in milliseconds. */
const AGAIN_AFTER_MS = 30_000;
/** How often a person who wants to merge looks for a second session. */
const MAX_LOOKS = 10;

/** The request of a person, sent once or more often. */
interface GroupingAct {
  kind: 'split' | 'merge';
  sessionId: string;
  /** The message to take out, or the session that takes the other one. */
  other: string;
  /** The answer. */
  outcomes: string[];
}

/** The alerts of a run in which people group them. */
export interface Grouping {
  alerts: RelatedAlert[];
  acts: GroupingAct[];
  /** The keys of alerts that were split and so published again, each once. */
  splitKeys(): string[];
  /** Whether people want nothing more. */
  isOver(): boolean;
}

/** Publishes alerts within minutes, and draws acts on groups, only from `random`. */
export function groupAtSomeTimes(chain: string, cloud: Cloud, world: World, random: Random): Grouping {
  const { plan, record, store, time } = world;
  const acts: GroupingAct[] = [];
  let open = 0;
  const splitKeys = (): string[] => {
    const copies = cloud.messages.filter(({ attributes }) => attributes[SPLIT_ATTRIBUTE] !== undefined);
    return [...new Set(copies.map(({ id, ...rest }) => deriveAlertKey({ messageId: id, ...rest })))];
  };
  const alerts = plan.grouped === null ? [] : publishAlerts(chain, cloud, world, random);
  const grouping = { alerts, acts, splitKeys, isOver: () => open === 0 };
  if (plan.grouped === null) return grouping;

  const later = (ms: number, begin: () => void) => {
    open += 1;
    time.after(ms, () => {
      begin();
      open -= 1;
    });
  };
  const perform = (kind: GroupingAct['kind'], sessionId: string, other: string, undo: number | null) => {
    const act: GroupingAct = { kind, sessionId, other, outcomes: [] };
    acts.push(act);
    open += 1;
    world.traceLine(`a person wants to ${kind} ${sessionId} and ${other}`);
    const answer = (outcome: string) => {
      act.outcomes.push(outcome);
      world.traceLine(`${kind} answers ${outcome}`);
      if (act.outcomes.length > 1) return;
      open -= 1;
      if (undo !== null && ['merged', 'already_merged'].includes(outcome))
        later(undo, () => perform('split', other, sessionId, null));
    };
    const ask = () => {
      const request = kind === 'split' ? requestSplit : requestMerge;
      cloud.invoke(kind, (_, deps) => request(act, deps).then(answer, ignoreKnown), undefined);
      time.after(AGAIN_AFTER_MS, () => {
        if (act.outcomes.length === 0) ask();
      });
    };
    for (let copy = random.chance(0.3) ? 2 : 1; copy > 0; copy--) ask();
  };

  /** Merges two sessions; while fewer are open, a person looks again. */
  const merge = (undo: number | null, tries: number): void => {
    const isAny = random.chance(0.1);
    const all = [...record.sessions.values()].filter(({ status }) => isAny || !isTerminal(status));
    const first = draw(all, random);
    const second = random.chance(0.05)
      ? first
      : draw(
          all.filter((one) => one !== first),
          random,
        );
    if (first !== undefined && second !== undefined)
      perform('merge', first.sessionId, second.sessionId, undo);
    else if (tries > 0) later(random.int(500, 5_000), () => merge(undo, tries - 1));
  };
  const split = (): void => {
    const fates = store.documents().map(({ path, data }) => {
      if (path.startsWith(`${paths.alertFates}/`)) return data as unknown as AlertFate;
      return path.startsWith(`${paths.alertKeys}/`) ? readFate(data as unknown as AlertKey) : undefined;
    });
    const joined = fates.filter((fate) => fate !== undefined).filter(canBeSplit);
    const fate = draw(joined, random);
    if (fate !== undefined) perform('split', fate.sessionId ?? '', fate.messageId, null);
  };
  for (let left = random.int(2, 5); left > 0; left--) {
    const undo = random.chance(0.6) ? random.int(0, random.pick([1_000, MINUTE])) : null;
    const isMerge = random.chance(0.6);
    later(random.int(0, random.pick([2_000, 20_000, MINUTE])), () =>
      isMerge ? merge(undo, MAX_LOOKS) : split(),
    );
  }
  return grouping;
}

const canBeSplit = ({ outcome, by, sessionId }: AlertFate): boolean =>
  sessionId !== null && outcome === 'joined' && by !== 'incident';

const draw = <T>(items: T[], random: Random): T | undefined => items[random.int(0, items.length - 1)];

async function requestSplit({ sessionId, other }: GroupingAct, deps: RuntimeDeps): Promise<string> {
  const outcome = await splitAlert({ sessionId, messageId: other, by: 'ada' }, deps);
  if (outcome.kind === 'split' || outcome.kind === 'already_split')
    await deps.publisher.publish(TOPICS.alerts, outcome.data, outcome.attributes);
  return outcome.kind;
}

const requestMerge = async ({ sessionId, other }: GroupingAct, deps: RuntimeDeps): Promise<string> =>
  (await mergeSession({ sessionId, into: other, by: 'ada' }, deps)).kind;

/** A person who gets an error tries again after a while. */
function ignoreKnown(error: unknown): void {
  if (!(error instanceof InquestError)) throw error;
}

/** Some problems at once, most of them with a cluster; some of them fire again, or are resolved. */
function publishAlerts(chain: string, cloud: Cloud, { time }: World, random: Random): RelatedAlert[] {
  const start = time.now();
  return Array.from({ length: random.int(3, 6) }, (_, problem) => {
    const cluster = random.pick(['eu', 'eu', 'us', '', '']);
    const labels = cluster === '' ? {} : { cluster };
    let atMs = problem === 0 ? 0 : random.int(0, random.pick([200, 5_000, MINUTE]));
    const reports = [
      'firing',
      ...Array.from({ length: random.int(0, 3) }, () => random.pick(['firing', 'resolved'])),
    ];
    return reports.map((status) => {
      const alert: RelatedAlert = { cluster, problem, publishedAt: start + atMs };
      const publish = () => {
        const body = { title: `Pod ${problem} is down`, fingerprint: `pod-${problem}`, status, labels };
        const message = cloud.publish(TOPICS.alerts, body, { chain });
        alert.key = deriveAlertKey({ messageId: message.id, data: message.data });
      };
      if (atMs === 0) publish();
      else time.after(atMs, publish);
      atMs += random.int(1, random.pick([1_000, 20_000, 3 * MINUTE]));
      return alert;
    });
  }).flat();
}
