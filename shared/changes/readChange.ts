// Turns a message into changes: opens it as an alert's, masks secrets, reads it with its source's adapter.

import { createHash } from 'node:crypto';
import { type DecodedAlert, decodeAlert } from '../alerts/decodeAlert.ts';
import { looseDate } from '../alerts/fields/dates.ts';
import type { AlertMasker } from '../alerts/index.ts';
import { limitTexts } from '../alerts/limitTexts.ts';
import { TerminalError } from '../core/errors.ts';
import { documentTitle } from '../core/schema/documentTitle.ts';
import { cutText } from '../text/cut.ts';
import { makeVisible } from '../text/hiddenCharacters.ts';
import { asText } from '../text/json.ts';
import { oneLine } from '../text/labels.ts';
import { parseResource, type Resource, resourceName } from '../text/resource.ts';
import type { ChangeAdapter, ChangeFacts } from './adapter.ts';
import { CHANGE_ADAPTERS } from './adapters.ts';
import type { Change } from './change.ts';
import { listChangeScopes } from './scopes.ts';

const MAX_TITLE = 300;
const MAX_ACTOR = 200;
/** Characters of a state: a diff of some lines. */
const MAX_STATE = 2_000;
const MAX_URL = 2_000;
const MAX_AFFECTED = 10;
const KEY_DIGITS = 32;
/** A time this far in the future is a fault of its source; then the time of the message counts. */
const AHEAD_MS = 3_600_000;

/** A change of a message, without its owner, its rate and its expiry. */
export interface ReadChange
  extends Omit<Change, 'tenantId' | 'receivedAt' | 'rate' | 'count' | 'expireAt' | 'scopes'> {
  /** Without their day. */
  scopes: string[];
  /** The source whose messages about the same resource and moment are the same change; null for none. */
  joins: string | null;
}

/** The changes of a message, and how they were read. */
interface ChangeReading {
  source: string;
  /** Why the payload counts as one of its source. */
  reason: string;
  /** Empty if it has none. */
  changes: ReadChange[];
  /** Why the message has no change; null if it has some. */
  ignored: string | null;
  /** Envelopes that were removed, the outermost first. */
  envelopes: string[];
}

/** Facts about a message beside its body. */
interface ReadChangeOptions {
  /** Attributes of the message; for a webhook, its headers in lower case. */
  attributes?: Record<string, string>;
  /** When the message was published: the time of changes without one. */
  receivedAt: Date;
  /** The current time: a change is not later. Default: `receivedAt`. */
  now?: Date;
  /** Default: all. */
  adapters?: readonly ChangeAdapter[];
}

/**
 * Reads the changes of a message, without secrets.
 * @throws TerminalError `ALERT_EMPTY`, `ALERT_INVALID`, `ALERT_TOO_LARGE` for a body that cannot be read,
 *   `CHANGE_UNKNOWN` for one that no adapter recognises.
 */
export function readChanges(
  bytes: Uint8Array,
  masker: AlertMasker,
  { attributes = {}, receivedAt, now = receivedAt, adapters = CHANGE_ADAPTERS }: ReadChangeOptions,
): ChangeReading {
  // Some sources put everything into attributes, as Cloud Deploy does.
  const isBare = bytes.length === 0 && Object.keys(attributes).length > 0;
  const opening = decodeAlert(isBare ? Buffer.from(JSON.stringify({ attributes })) : bytes, attributes);
  if (!opening.ok)
    throw new TerminalError(opening.failure.code, opening.failure.message.replace(/\balert\b/g, 'change'));
  return maskChanges(opening.opened, masker, { receivedAt, now, adapters });
}

function maskChanges(
  { payload, attributes, envelopes }: DecodedAlert,
  { maskJson }: AlertMasker,
  { receivedAt, now, adapters }: Required<Omit<ReadChangeOptions, 'attributes'>>,
): ChangeReading {
  const input = { payload, attributes, receivedAt };
  const adapter = adapters.find((one) => one.recognise(input) !== undefined);
  if (adapter === undefined)
    throw new TerminalError(
      'CHANGE_UNKNOWN',
      'no adapter reads this message; send a change as JSON with "resource" and "title" (shared/features/changes/README.md)',
    );
  const how = { source: adapter.source, reason: adapter.recognise(input) ?? '', envelopes };
  // Marks differ between messages, so ids, stored only as digests, come from the body before masking.
  const raw = adapter.read(input);
  if ('ignored' in raw) return { ...how, changes: [], ignored: raw.ignored };
  const masked = adapter.read({ ...input, payload: maskJson(limitTexts(payload)).value });
  if ('ignored' in masked) return { ...how, changes: [], ignored: masked.ignored };
  const ids = raw.map(({ sourceId }) => digestChangeId(adapter.source, sourceId));
  const changes = masked.map((facts, index) =>
    cleanChange(adapter.source, facts, ids[index] ?? '', { receivedAt, now }),
  );
  return { ...how, changes, ignored: changes.length === 0 ? 'it holds no change' : null };
}

const digestChangeId = (source: string, id: string): string =>
  createHash('sha256').update(`${source}\0${id}`).digest('hex').slice(0, KEY_DIGITS);

type Times = Required<Pick<ReadChangeOptions, 'receivedAt' | 'now'>>;

function cleanChange(
  source: string,
  facts: ChangeFacts,
  key: string,
  { receivedAt, now }: Times,
): ReadChange {
  const resource = nameChangedResource(facts.resource);
  const affects = (facts.affects ?? []).slice(0, MAX_AFFECTED).map(nameChangedResource);
  const at = looseDate(typeof facts.at === 'number' ? String(facts.at) : asText(facts.at)) ?? receivedAt;
  return {
    title: documentTitle(oneLine(facts.title, MAX_TITLE) || 'Change without a title'),
    key,
    source,
    resource,
    kind: facts.kind,
    status: facts.status ?? 'done',
    actor: oneLine(facts.actor ?? '', MAX_ACTOR) || null,
    before: formatChangedState(facts.before),
    after: formatChangedState(facts.after),
    url: webUrl(facts.url),
    at: at.getTime() > now.getTime() + AHEAD_MS ? receivedAt : at,
    scopes: listChangeScopes(resource, affects, facts.project),
    joins: facts.joins ?? null,
  };
}

const nameChangedResource = (resource: Resource | string): string =>
  typeof resource !== 'string'
    ? resourceName(resource)
    : parseResource(resource) === undefined
      ? resourceName({ system: 'service', product: null, parts: [resource] })
      : resource;

function formatChangedState(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return cutText(makeVisible(text).trim(), MAX_STATE) || null;
}

function webUrl(text: string | undefined): string | null {
  const url = URL.parse(text?.trim() ?? '');
  if (url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  return url.href.length <= MAX_URL ? url.href : null;
}
