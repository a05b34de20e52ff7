// Checks grouped alerts: each is in one session's list, each split or merge happens once.

import { ALERT_EVENTS, readSessionAlert } from '../../../../shared/alerts/schema/alert.ts';
import type { AlertFate } from '../../../../shared/alerts/schema/alertFate.ts';
import type { Incident } from '../../../../shared/alerts/schema/incident.ts';
import type { Session } from '../../../../shared/core/schema/session.ts';
import { mergeKey } from '../../../../shared/features/correlation/mergeSession.ts';
import { type AlertKey, readFate } from '../../../../shared/kits/alerts/fates/alertKeyDocument.ts';
import { readCounts } from '../../../../shared/kits/views/reports.ts';
import {
  alertFateType,
  alertKeyType,
  incidentType,
  paths,
  timelineEventType,
} from '../../../../shared/lists/documents.ts';
import type { Violate } from '../../transitions.ts';
import type { World } from '../../world.ts';
import type { Grouping } from './simulatedGrouping.ts';

/** Characters of a key that the id of a fate ends with. */
const KEY_LENGTH = 12;

/** The stored documents of the groups of a run. */
interface Groups {
  keys: Map<string, AlertKey>;
  fates: { id: string; value: AlertFate }[];
  fatesOf(key: string): AlertFate[];
  /** The sessions that were merged. */
  merged: Session[];
  /** The notices of a session, and the numbers of its events about alerts. */
  noticesOf(sessionId: string): Promise<string[]>;
}

/** Checks the groups of a run. */
export async function checkGrouping(
  world: World,
  violate: Violate,
  { grouping }: { grouping: Grouping },
): Promise<void> {
  if (world.plan.grouped === null) return;
  const groups = await readGroups(world);
  checkLists(grouping, groups, world, violate);
  await checkCounts(groups, world, violate);
  await checkSplits(grouping, groups, world, violate);
  await checkMerges(grouping, groups, world, violate);
}

async function readGroups({ reader, record }: World): Promise<Groups> {
  const keys = await reader.list({ collection: paths.alertKeys }, alertKeyType);
  const ofKeys = keys.flatMap(({ value }) => {
    const fate = readFate(value);
    return fate === undefined ? [] : [{ id: value.fateId ?? '', value: fate }];
  });
  const fates = [...(await reader.list({ collection: paths.alertFates }, alertFateType)), ...ofKeys];
  const sessions = [...record.sessions.values()];
  return {
    keys: new Map(keys.map(({ id, value }) => [id, value])),
    fates,
    fatesOf: (key) =>
      fates.filter(({ id }) => id.endsWith(`.${key.slice(0, KEY_LENGTH)}`)).map(({ value }) => value),
    merged: sessions.filter(({ cancellation }) => cancellation?.mergedInto !== undefined),
    async noticesOf(sessionId) {
      const events = await reader.list({ collection: paths.timeline(sessionId) }, timelineEventType);
      return events.map(({ value }) => value.content);
    },
  };
}

/** Each alert is in the list of its session, or left it by a split; no list has anything else. */
function checkLists(
  { alerts, splitKeys }: Grouping,
  groups: Groups,
  { record }: World,
  violate: Violate,
): void {
  const all = [...alerts.map(({ key = '' }) => key), ...splitKeys()];
  for (const key of all) {
    const stored = groups.keys.get(key);
    const [fate, ...more] = groups.fatesOf(key);
    const listed = stored?.joined?.split ? null : stored?.sessionId;
    if (fate === undefined || more.length > 0)
      violate('grouping', `alert ${key} is in ${more.length + (fate === undefined ? 0 : 1)} lists`);
    else if (fate.sessionId !== listed)
      violate('grouping', `alert ${key} is in the list of ${fate.sessionId}, and belongs to ${listed}`);
  }
  if (groups.fates.length !== all.length + groups.merged.length)
    violate(
      'grouping',
      `${all.length} alerts and ${groups.merged.length} merges have ${groups.fates.length} entries`,
    );
  const opened = new Set<string>();
  for (const { writes } of record.commits) {
    for (const { op, path } of writes)
      if (op === 'create' && path.startsWith('sessions/')) opened.add(path.split('/')[1] ?? '');
    for (const { path, value } of writes) {
      if (!path.startsWith(`${paths.alertKeys}/`)) continue;
      const { sessionId } = value as AlertKey;
      if (!opened.has(sessionId))
        violate('grouping', `an alert is first in ${sessionId}, and does not open it`);
    }
  }
}

/** All that was written into a collection. */
const documentsIn = (collection: string, { commits }: World['record']): unknown[] =>
  commits.flatMap(({ writes }) =>
    writes.filter(({ path }) => path.startsWith(`${collection}/`)).map(({ value }) => value),
  );

/** The counts of each session are those of its list. */
async function checkCounts(
  { keys, fates }: Groups,
  { reader, record }: World,
  violate: Violate,
): Promise<void> {
  const incidents = await reader.list({ collection: paths.incidents }, incidentType);
  for (const sessionId of record.sessions.keys()) {
    const own = [...keys.values()].filter((key) => key.sessionId === sessionId);
    const taken = fates.filter(
      ({ value: { by, ...fate } }) => by === 'merge' && fate.sessionId === sessionId,
    );
    const joined = own.filter((key) => key.joined?.split === false).length + taken.length;
    const reports = own.filter((key) => key.joined === null).length;
    const counts = (await readCounts(sessionId, reader)).value;
    const { firing = 0, resolved = 0, acknowledged = 0, events = 0 } = counts ?? {};
    // A session that has a problem of a merge shows that, also when all alerts have left its list.
    const isMerged = ({ merged, sessionId: id }: Incident): boolean => merged && id === sessionId;
    const hasMerged = incidents.some(({ value }) => isMerged(value));
    const hadMerged = documentsIn(paths.incidents, record).some((value) => isMerged(value as Incident));
    const shown = counts?.joined ?? 0;
    if (shown < Math.max(joined, hasMerged ? 1 : 0) || shown > joined + (hadMerged ? 1 : 0))
      violate('grouping', `${joined} alerts joined ${sessionId}, which counts ${counts?.joined}`);
    if (firing + resolved + acknowledged !== reports)
      violate(
        'grouping',
        `${sessionId} has ${reports} reports, and counts ${firing}, ${resolved}, ${acknowledged}`,
      );
    const timeline = await reader.list({ collection: paths.timeline(sessionId) }, timelineEventType);
    const numbers = timeline
      .filter(({ value }) => value.executionId === ALERT_EVENTS)
      .map(({ value }) => value.sequenceNumber);
    if (events !== numbers.length || numbers.some((number, index) => number !== index + 1))
      violate('grouping', `${sessionId} counts ${events} events of alerts, and has ${numbers}`);
  }
}

/** An alert that was split has one other session, and its problem joins no group any more. */
async function checkSplits(
  { acts, splitKeys, alerts }: Grouping,
  { keys, fates, noticesOf }: Groups,
  { record, plan }: World,
  violate: Violate,
): Promise<void> {
  const splits = acts.filter(
    ({ kind, outcomes }) => kind === 'split' && outcomes.some((one) => one.endsWith('split')),
  );
  const accepted = new Map(splits.map((act) => [`${act.sessionId} ${act.other}`, act]));
  if (splitKeys().length !== accepted.size)
    violate('grouping', `${accepted.size} splits published ${splitKeys().length} alerts`);
  const left = fates.filter(({ value }) => value.by === 'split');
  if (left.length !== accepted.size)
    violate('grouping', `${accepted.size} splits, and ${left.length} alerts left a list`);
  for (const { sessionId, other } of accepted.values()) {
    const told = (await noticesOf(sessionId)).filter((text) =>
      text.includes(`(message ${other}). It gets a session`),
    );
    if (told.length !== 1)
      violate('grouping', `${told.length} events of ${sessionId} say that ${other} left it`);
  }
  for (const key of splitKeys()) {
    const sessionId = record.alertKeys.get(key) ?? '';
    const stored = keys.get(key);
    if (readSessionAlert(record.sessions.get(sessionId)) === null || stored?.joined !== null)
      violate('grouping', `alert ${key} was split, and joined ${sessionId}`);
    const at = record.commits.findIndex(({ writes }) =>
      writes.some(({ path }) => path === paths.alertKey(key)),
    );
    const splitAt = record.commits[at]?.at ?? 0;
    for (const { key: own = '', problem } of alerts) {
      const commit = record.commits.find(({ writes }) =>
        writes.some(({ path }) => path === paths.alertKey(own)),
      );
      const isOfProblem = keys.get(own)?.title === stored?.title && problem !== undefined;
      if (
        isOfProblem &&
        (commit?.by.startedAt ?? 0) > splitAt + 2 * plan.maxSkewMs &&
        keys.get(own)?.joined !== null
      )
        violate(
          'grouping',
          `alert ${own} joins ${keys.get(own)?.sessionId} after a person took its problem out`,
        );
    }
  }
}

/** A session that was merged has ended, and the other one has its alert and its problems, once. */
async function checkMerges(
  { acts }: Grouping,
  { fatesOf, merged, noticesOf }: Groups,
  { reader, record }: World,
  violate: Violate,
): Promise<void> {
  for (const { kind, sessionId, other, outcomes } of acts) {
    const isMerged = outcomes.some((outcome) => outcome.endsWith('merged'));
    const into = record.sessions.get(sessionId)?.cancellation?.mergedInto;
    if (kind === 'merge' && isMerged && into !== other)
      violate('grouping', `${sessionId} was merged into ${other}, and says ${into}`);
  }
  const incidents = await reader.list({ collection: paths.incidents }, incidentType);
  const isSplit = (sessionId: string) =>
    acts.some(({ other, kind }) => kind === 'split' && other === sessionId);
  for (const { sessionId, cancellation, status } of merged) {
    const into = cancellation?.mergedInto ?? '';
    if (status !== 'cancelled') violate('grouping', `${sessionId} was merged, and is ${status}`);
    const [fate, ...more] = fatesOf(mergeKey(sessionId));
    const isListed =
      fate?.sessionId === into || (fate?.by === 'split' && fate.sessionId === null && isSplit(sessionId));
    if (!isListed || more.length > 0)
      violate('grouping', `${sessionId} was merged into ${into}, and is in the list of ${fate?.sessionId}`);
    const told = (await noticesOf(into)).filter((text) => text.includes(`merges session ${sessionId} into`));
    if (told.length !== 1)
      violate('grouping', `${told.length} events of ${into} say that ${sessionId} joins`);
    if (incidents.some(({ value }) => value.sessionId === sessionId))
      violate('grouping', `${sessionId} was merged, and a problem still belongs to it`);
  }
}
