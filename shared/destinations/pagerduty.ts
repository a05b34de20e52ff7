// PagerDuty: notes on the incident that an alert of PagerDuty is about. A note cannot be edited; a lost
// answer is resolved by the list of notes. https://developer.pagerduty.com/api-reference (listIncidentNotes,
// createIncidentNote)

import type {
  CreateDestination,
  DeliveryFailure,
  OutgoingMessage,
  ProbeResult,
  SendResult,
} from '../contract/destination.ts';
import type { PagerdutySettings } from '../contract/destinationSettings.ts';
import { quoteText } from '../text/cut.ts';
import { asArray, asObject, asText, parseJson } from '../text/json.ts';
import { failedResult, type HttpRequest, type HttpResult } from './http.ts';
import { fitMessage } from './render/fitMessage.ts';
import { messageKey } from './render/messageKey.ts';
import { messageLines } from './render/messageLines.ts';
import type { DestinationServices } from './services.ts';

const TIMEOUT_MS = 20_000;
/** Characters of a note. PagerDuty documents no limit; people read notes on a phone. */
const MAX_NOTE = 8_000;
const REGIONS = { us: 'https://api.pagerduty.com', eu: 'https://api.eu.pagerduty.com' };
/** The label in which alerts of PagerDuty have the id of their incident. */
const INCIDENT_LABEL = 'incident_id';
const INCIDENT_ID = /^[A-Z0-9]{5,40}$/;

const FIXES: Record<string, string> = {
  authentication_failed: 'The key is wrong, or belongs to the other region. Check "token" and "region".',
  access_denied: 'The key can only read. Create a REST API key with write access.',
  unknown_user: 'No user of the account has the address of "from". Name one who can see the incident.',
  incident_not_found: 'The account has no such incident. Check "token" and "region".',
  rate_limited: 'The limit of requests of the key is reached.',
  invalid: 'The note was refused.',
};

/** The text of the note of a message. Its last line is the mark that a probe searches. */
export function renderNote({ id, message }: OutgoingMessage): string {
  const mark = composePagerdutyMark(id);
  return fitMessage(
    message,
    (version) => [...messageLines(version), '', mark].join('\n'),
    (text) => text.length,
    MAX_NOTE,
  );
}

const composePagerdutyMark = (id: string): string => `Inquest ${messageKey(id).slice(0, 20)}`;

/** Makes the destination. */
export const createPagerduty =
  ({ http }: Pick<DestinationServices, 'http'>): CreateDestination<PagerdutySettings> =>
  ({ token, from, region = 'us', apiUrl = REGIONS[region] }) => {
    const call = (method: HttpRequest['method'], path: string, body?: object) =>
      http({
        method,
        url: `${apiUrl.replace(/\/+$/, '')}${path}`,
        headers: {
          authorization: `Token token=${token}`,
          accept: 'application/vnd.pagerduty+json;version=2',
          'content-type': 'application/json',
          from,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        timeoutMs: TIMEOUT_MS,
        reach: 'any',
      });

    return Promise.resolve({
      kind: 'pagerduty',
      capabilities: {
        update: false,
        thread: false,
        buttons: false,
        probe: true,
        key: false,
        isRepeatSafe: false,
        isPerAlert: true,
      },
      timeoutMs: TIMEOUT_MS,
      preview: renderNote,
      placeOf: (labels) => (Object.hasOwn(labels, INCIDENT_LABEL) ? (labels[INCIDENT_LABEL] ?? null) : null),
      async send(outgoing): Promise<SendResult> {
        const incident = findPagerdutyIncident(outgoing);
        if (incident === undefined) return { outcome: 'refused', failure: NO_INCIDENT, isOnlyThis: true };
        const note = { content: renderNote(outgoing) };
        const result = await call('POST', `/incidents/${incident}/notes`, { note });
        if (result.outcome === 'answered' && result.status < 300)
          return {
            outcome: 'sent',
            ref: composePagerdutyRef(incident, asObject(asObject(parseJson(result.text)).note).id),
          };
        return describePagerdutyFailure(result);
      },
      async probe(outgoing): Promise<ProbeResult> {
        const incident = findPagerdutyIncident(outgoing);
        if (incident === undefined) return { outcome: 'absent' };
        const result = await call('GET', `/incidents/${incident}/notes`);
        const notes = result.outcome === 'answered' ? asObject(parseJson(result.text)).notes : undefined;
        if (result.outcome !== 'answered' || result.status >= 300 || !Array.isArray(notes)) {
          const failed = describePagerdutyFailure(result);
          return {
            outcome: 'failed',
            failure: failed.failure,
            retryAfterMs: failed.outcome === 'retry' ? failed.retryAfterMs : null,
          };
        }
        const mark = composePagerdutyMark(outgoing.id);
        const note = notes
          .map(asObject)
          .find(({ content }) => asText(content)?.trimEnd().endsWith(`\n${mark}`));
        return note === undefined
          ? { outcome: 'absent' }
          : { outcome: 'found', ref: composePagerdutyRef(incident, note.id) };
      },
      async check() {
        const result = await call('GET', `/users?${new URLSearchParams({ query: from, limit: '25' })}`);
        if (result.outcome !== 'answered' || result.status >= 300)
          return [describePagerdutyFailure(result).failure];
        const users = asArray(asObject(parseJson(result.text)).users).map((user) =>
          asText(asObject(user).email),
        );
        const isKnown = users.some((email) => email?.toLowerCase() === from.toLowerCase());
        return isKnown ? [] : [{ code: 'unknown_user', message: FIXES.unknown_user ?? '' }];
      },
    });
  };

const NO_INCIDENT: DeliveryFailure = {
  code: 'no_incident',
  message: `The alert is not about an incident of PagerDuty: it comes from another source, or has no label ${INCIDENT_LABEL}. Name this destination only in chains that take alerts of PagerDuty.`,
};

/** Only PagerDuty names its incidents: a label of any other alert could name those of other teams. */
function findPagerdutyIncident({ place, session }: OutgoingMessage): string | undefined {
  if (session?.source !== 'pagerduty' || place === null || !INCIDENT_ID.test(place)) return undefined;
  return place;
}

function composePagerdutyRef(incident: string, id: unknown): string | null {
  const text = asText(id);
  return text === undefined ? null : `${incident}/${text}`;
}

function describePagerdutyFailure(result: HttpResult): Exclude<SendResult, { outcome: 'sent' | 'gone' }> {
  const failed = failedResult(result, '');
  if (result.outcome !== 'answered' || result.status >= 500) return failed;
  const error = asObject(asObject(parseJson(result.text)).error);
  const words = quoteText(asText(error.message) ?? `status ${result.status}`, 200);
  const code = choosePagerdutyCode(result.status, words);
  return { ...failed, failure: { code, message: `${FIXES[code]} PagerDuty: ${words}` } };
}

function choosePagerdutyCode(status: number, words: string): string {
  if (status === 401) return 'authentication_failed';
  if (status === 403) return 'access_denied';
  if (status === 404) return 'incident_not_found';
  if (status === 429) return 'rate_limited';
  return /requester user not found/i.test(words) ? 'unknown_user' : 'invalid';
}
