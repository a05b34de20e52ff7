// Tool servers for the page: state in words, rights and limits. Pure.

import type { Configuration, SystemActivity } from '../../../shared/lists/apiTypes.ts';
import type { SystemHealth } from '../frame/systemState.ts';
import { bytesText, countText } from '../model/format.ts';
import type { Shown } from '../parts/statusDisplay.ts';

type Server = SystemActivity['servers'][number];
type ConfiguredServer = Configuration['servers'][number];

/** A server with everything that the reader can see. */
export interface ServerRow extends Server {
  /** The state in words, with a glyph and a tone. */
  state: Shown;
  /** Undefined for people who are not operators. */
  configured: ConfiguredServer | undefined;
}

const urgency = ({ state: { tone } }: ServerRow): number => (tone === 'fail' ? 0 : tone === 'late' ? 1 : 2);

/**
 * The servers: those with a fault first, then by name; those of the configuration that no agent uses are
 * among them.
 * @param health parts that are away, as running agents noticed; undefined until it is known.
 * @param configured empty for people who are not operators.
 */
export function serverRows(
  { servers }: Pick<SystemActivity, 'servers'>,
  health: SystemHealth | undefined,
  configured: readonly ConfiguredServer[],
): ServerRow[] {
  const away = new Map(health?.servers.map(({ name, agents }) => [name, agents]));
  const unused = configured
    .filter(({ name }) => !servers.some((server) => server.name === name))
    .map(({ name }): Server => ({ ...NO_STATE, name }));
  return [...servers, ...unused]
    .map((server) => ({
      ...server,
      state: describeServerState(server, away.get(server.name) ?? 0),
      configured: configured.find(({ name }) => name === server.name),
    }))
    .sort((a, b) => urgency(a) - urgency(b) || (a.name < b.name ? -1 : 1));
}

const NO_STATE: Omit<Server, 'name'> = {
  agents: [],
  access: null,
  readOnly: [],
  trustHints: false,
  approvals: [],
  lastAnswer: null,
  tools: [],
  listedAt: null,
};

const OUTCOMES: Record<NonNullable<Server['lastAnswer']>['outcome'], Shown> = {
  answered: { word: 'Answered', icon: 'done', tone: 'ok' },
  error: { word: 'Answered with an error', icon: 'warning', tone: 'late' },
  unanswered: { word: 'Did not answer in time', icon: 'clock', tone: 'fail' },
  unknown: { word: 'Call was interrupted', icon: 'question', tone: 'late' },
  unreachable: { word: 'Could not be reached', icon: 'failed', tone: 'fail' },
};

function describeServerState({ agents, lastAnswer }: Server, away: number): Shown {
  if (away > 0)
    return { word: `Away: ${countText(away, 'agent')} cannot reach it`, icon: 'failed', tone: 'fail' };
  if (lastAnswer !== null) return OUTCOMES[lastAnswer.outcome];
  const word = agents.length === 0 ? 'Not used by any agent' : 'Not called';
  return { word, icon: 'dashed', tone: 'none' };
}

/** The rights of agents on a server, in one line. */
export function rightsText({ access, readOnly, trustHints, approvals }: Server): string {
  if (access === null) return '';
  const hinted = trustHints ? ' and those that the server marks as read-only' : '';
  const reads = readOnly.length === 0 && trustHints ? 'tools that the server marks as read-only' : undefined;
  const read = `Reads: ${reads ?? `${readOnly.length === 0 ? 'no tool' : readOnly.join(', ')}${hinted}`}`;
  if (access === 'read') return read;
  const writes = approvals.map(
    ({ tool, approval }) => `${tool} (${approval === 'required' ? 'after approval' : 'without approval'})`,
  );
  return `${read}. Changes: ${writes.length === 0 ? 'nothing' : writes.join(', ')}`;
}

/** The limits of a server with their use; empty without limits. */
export function limitTexts({ limits, use }: ConfiguredServer): string[] {
  const { concurrency, perMinute, bytesPerHour } = limits;
  return [
    concurrency === null ? '' : `${use.running ?? 0} of ${countText(concurrency, 'call')} at a time`,
    perMinute === null ? '' : `${use.calls ?? 0} of ${countText(perMinute, 'call')} this minute`,
    bytesPerHour === null ? '' : `${bytesText(use.bytes ?? 0)} of ${bytesText(bytesPerHour)} this hour`,
  ].filter(Boolean);
}

/** The quota of a model with its use in this minute; empty without a quota. */
export function quotaTexts({ limits: { rpm, tpm }, use }: Configuration['models'][number]): string[] {
  const limits = [
    ...(rpm === null ? [] : [countText(rpm, 'request')]),
    ...(tpm === null ? [] : [countText(tpm, 'token')]),
  ];
  return limits.length === 0 ? [] : [`${use?.usedPercent ?? 0} % of ${limits.join(' and ')} this minute`];
}
