// `notify` of chains and triage rules: the destinations that get messages about a session, by event.

import * as z from 'zod';
import type { DestinationKind } from '../contract/destinationSettings.ts';
import { severityRank } from '../contract/severity.ts';
import { NOT_CHECKED, VERDICTS } from '../evidence/schema/verdict.ts';
import { DESTINATION_KINDS } from './destinationKinds.ts';
import type { Destinations } from './destinations.ts';
import { duration, type KnownNames, oneOrMany, referenceTo, strictMapping } from './fields.ts';
import type { Notify } from './notified.ts';

/** The events that can be switched on. */
const EVENTS = [
  'opened',
  'approval',
  'ended',
  'failed',
  'resolved',
  'deferred',
  'rejected',
  'outcome',
] as const;
const MAX_ENTRIES = 20;
const MAX_SEVERITIES = 20;
/** The longest period of a digest. */
const MAX_DIGEST = '24h';

/** Ranks of severities, from 0 for the worst: `critical` and worse, and `info`. */
const CRITICAL = 1;
const INFO = 5;

/** A list of entries. @param destinations the names of destinations.yaml. */
export const notifyField = (destinations: KnownNames) =>
  z
    .array(
      strictMapping({
        to: referenceTo('destination', destinations),
        when: oneOrMany(z.enum(EVENTS), EVENTS.length).optional(),
        /** Only for alerts with one of these severities. */
        severity: oneOrMany(z.string().trim().min(1).max(100), MAX_SEVERITIES).optional(),
        digest: strictMapping({ every: duration(MAX_DIGEST) }).optional(),
        /** Only sessions that end with one of these verdicts get the messages about their end. */
        verdict: oneOrMany(z.enum([...VERDICTS, NOT_CHECKED]), VERDICTS.length + 1).optional(),
      }),
    )
    .max(MAX_ENTRIES)
    .optional();

/** One entry of `notify`. */
type NotifyEntry = NonNullable<z.output<ReturnType<typeof notifyField>>>[number];

/** The facts about a session that decide who gets messages about it. */
interface NotifiedSession {
  tenantId: string;
  /** Severity of its alert; null without one. */
  severity: string | null;
}

/** The facts about a new session, with the parts of the configuration that decide about it. */
export interface NotifyRequest extends NotifiedSession {
  /** Its chain. */
  chain: string;
  /** The rule of triage.yaml that decided about its alert; null if none did. */
  rule: string | null;
}

/**
 * Gives the destinations of new sessions.
 * @param chainOf the entry of a chain; the returned function throws its errors.
 */
export function createNotify(
  chainOf: (name: string) => { notify?: NotifyEntry[] | undefined },
  { rules }: { rules: readonly { name: string; notify?: NotifyEntry[] | undefined }[] },
  destinations: Destinations,
): (request: NotifyRequest) => Notify[] {
  return ({ chain, rule, ...session }) => {
    const ofRule = rules.find(({ name }) => name === rule)?.notify ?? [];
    const ofChain = chainOf(chain).notify ?? [];
    return resolveNotify([...ofRule, ...ofChain], session, destinations);
  };
}

/**
 * The destinations of a new session. An entry without `severity` leaves out alerts of severity `info`. Of
 * several entries for a destination the first one counts. A destination that does not show the session's
 * tenant gets nothing.
 * @param entries those of the rule of triage first, then those of the chain.
 */
function resolveNotify(
  entries: readonly NotifyEntry[],
  { tenantId, severity }: NotifiedSession,
  destinations: Destinations,
): Notify[] {
  const rank = severityRank(severity);
  const found = new Map<string, Notify>();
  for (const { to, when, severity: wanted, digest, verdict } of entries) {
    const destination = destinations[to];
    if (found.has(to) || destination === undefined || !destination.tenants.includes(tenantId)) continue;
    const isWanted = wanted === undefined ? rank < INFO : wanted.some((one) => severityRank(one) === rank);
    if (!isWanted) continue;
    const events = when ?? defaultEvents(destination.kind, rank);
    found.set(to, { to, when: [...events], digestMs: digest?.every ?? null, ...(verdict && { verdict }) });
  }
  return [...found.values()];
}

/** Only critical alerts without investigation are reported. Notes of PagerDuty need an incident. */
function defaultEvents(kind: DestinationKind, rank: number): string[] {
  const { follows } = DESTINATION_KINDS[kind];
  return [
    ...(follows ? ['opened'] : []),
    'approval',
    'ended',
    'failed',
    ...(follows ? ['resolved'] : []),
    ...(rank <= CRITICAL ? ['deferred'] : []),
    ...(rank <= CRITICAL && kind !== 'pagerduty' ? ['rejected'] : []),
  ];
}
