// A stand-in for PagerDuty's REST API: notes of incidents, and users. Each behaviour is that of the OpenAPI
// document in https://github.com/PagerDuty/api-schema (reference/REST/openapiv3.json), unless another source
// is named.

import { asObject, asText } from '../../shared/text/json.ts';
import { serveWire, type Wire, type WireAnswer, type WireRequest } from './wire.fixture.ts';

/** createIncidentNote: "A maximum of 2000 notes can be added to an incident." */
const MAX_NOTES = 2_000;

/** A note. */
interface Note {
  id: string;
  content: string;
  created_at: string;
  user: { type: string; summary: string };
}

/** A stand-in that runs. */
export interface StandInPagerduty extends Wire {
  /** Notes by the id of their incident. */
  notes: Map<string, Note[]>;
}

/** How the stand-in behaves. */
export interface PagerdutyOptions {
  /** Keys, and whether each can only read. */
  keys: Record<string, { isReadOnly?: boolean }>;
  /** Addresses of the users of the account. */
  users: string[];
  /** Ids of incidents. */
  incidents: string[];
  /** Time in milliseconds since 1970. Default: the clock of this machine. */
  now?: () => number;
  port?: number;
}

/** Starts the stand-in. */
export async function startPagerduty(options: PagerdutyOptions): Promise<StandInPagerduty> {
  const { keys, users, incidents, now = Date.now, port } = options;
  const notes = new Map<string, Note[]>(incidents.map((id) => [id, []]));

  function answer(request: WireRequest): WireAnswer {
    const key = /^Token token=(.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const rights = Object.hasOwn(keys, key) ? keys[key] : undefined;
    // https://developer.pagerduty.com/docs/errors: 2006 for missing or wrong credentials.
    if (rights === undefined) return fault(401, 2006, 'Authentication failed');
    // "API requests made with read-only keys" to "methods other than GET": 403.
    if (rights.isReadOnly === true && request.method !== 'GET') return fault(403, 2010, 'Access Denied');
    if (request.method === 'GET' && request.path === '/users')
      return { status: 200, body: { users: found(request) } };
    const incident = /^\/incidents\/([A-Z0-9]+)\/notes$/.exec(request.path)?.[1] ?? '';
    const ofIncident = notes.get(incident);
    // The example of the schema of errors: `{"message": "Not Found", "code": 2100}`.
    if (ofIncident === undefined) return fault(404, 2100, 'Not Found');
    // listIncidentNotes: the example has the newest first. It has no pages.
    if (request.method === 'GET') return { status: 200, body: { notes: ofIncident.toReversed() } };
    return create(ofIncident, request);
  }

  function found({ query }: WireRequest): object[] {
    const wanted = query.get('query') ?? '';
    return users.filter((email) => email.includes(wanted)).map((email) => ({ type: 'user', email }));
  }

  function create(ofIncident: Note[], { headers, body }: WireRequest): WireAnswer {
    // from_header: required, "the email address of a valid user" of the requesting account.
    const from = headers.from ?? '';
    if (!users.includes(from)) return fault(400, 1008, 'Requester User Not Found');
    const content = asText(asObject(asObject(body).note).content);
    if (content === undefined)
      return fault(400, 2001, 'Invalid Input Provided', ['Content cannot be empty.']);
    if (ofIncident.length >= MAX_NOTES)
      return fault(400, 2001, 'Invalid Input Provided', ['Too many notes.']);
    const note = {
      id: `P${ofIncident.length}NOTE`,
      content,
      created_at: new Date(now()).toISOString(),
      user: { type: 'user_reference', summary: from },
    };
    ofIncident.push(note);
    return { status: 200, body: { note } };
  }

  return Object.assign(await serveWire(answer, port), { notes });
}

function fault(status: number, code: number, message: string, errors?: string[]): WireAnswer {
  return { status, body: { error: { code, message, ...(errors && { errors }) } } };
}
