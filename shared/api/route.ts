// The type of an API route. Router, checks and the OpenAPI document use the same list of routes.

import type { Context } from 'hono';
import type * as z from 'zod';
import type { Embed } from '../contract/embedder.ts';
import type { Publisher } from '../contract/publisher.ts';
import type { RawDocuments } from '../contract/rawDocuments.ts';
import type { Store } from '../contract/store.ts';
import type { pushAgent } from '../runtime/agents/editAgents.ts';
import type { CheckAlert } from '../runtime/entry/checkAlert.ts';
import type { openChat } from '../runtime/features/chat/openChat.ts';
import type { AlertDeps } from '../runtime/kernel/deps.ts';
import { API_ROLES, type ApiRole } from '../schema/apiKey.ts';
import type { ProblemCode } from './problem.ts';
import type { Delivery, VerifiedRequest } from './webhooks/delivery.ts';
import type { UnverifiedRequest, Webhooks } from './webhooks/webhook.ts';

/** Whether a role has the permissions of another role. */
export function mayAct(role: ApiRole, needed: ApiRole): boolean {
  return API_ROLES.indexOf(role) >= API_ROLES.indexOf(needed);
}

/** The caller of a request, with its tenant. */
export interface Caller {
  tenantId: string;
  /** Stored and shown as who did something. */
  name: string;
  /** Null when the request names no user. */
  userId: string | null;
  role: ApiRole;
  /** Of the API key that was sent: two keys can have the same name. */
  keyId?: string;
}

/** Identifies a caller for limits and idempotency: no two callers have the same text. */
export function callerIdentity({ tenantId, keyId, userId, name }: Caller): string {
  return JSON.stringify([tenantId, keyId ?? null, userId, name]);
}

/** Dependencies of the API. */
export interface ApiDeps extends Omit<AlertDeps, 'failpoint'> {
  documents: RawDocuments;
  config: Parameters<typeof openChat>[2];
  checkAlert: CheckAlert;
  /** Finds secrets in agents that are written, and takes them out of those that are shown. */
  agentMasker: Parameters<typeof pushAgent>[1]['masker'];
  /** Absent: SEARCH compares by spelling, and entries are stored without an embedding. */
  embed?: Embed | undefined;
  webhooks: Webhooks;
  /** The address of a document in the Firestore console; undefined with an emulator. */
  documentUrl: ((path: string) => string) | undefined;
  /** The text without secrets. */
  mask(text: string): string;
}

/** The dependencies of one request: the store is restricted to the caller's tenant. */
export interface RequestDeps extends ApiDeps {
  store: Store;
  publisher: Publisher;
}

/** A status, and a body as JSON. */
export interface Answer {
  status: number;
  body: string;
}

/** Does something once for a key of a request, and gives its answer again. */
export type Once = (act: () => Promise<Answer>) => Promise<Answer>;

/** A request whose parts fit the route's schemas. */
interface RouteInput<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  caller: Caller;
  /** Has `act` done once for the request's `Idempotency-Key`, for routes that stream; all of any other route is. */
  once: Once;
  /** The id that all copies of the request have, for routes with `delivery`. */
  messageId?: string | undefined;
}

/** A route. Schemas are those of JSON: times are texts in ISO 8601. */
export interface Route<P = unknown, Q = unknown, B = unknown, R = unknown> {
  method: 'get' | 'post';
  /** As in OpenAPI: `/v1/sessions/{sessionId}`. */
  path: string;
  /** Another address of the same route, which no document names. Absent: none. */
  alias?: string;
  /** The name of the operation, unique. */
  id: string;
  /** In a few words, and whole. */
  summary: string;
  description?: string;
  role: ApiRole;
  /** Authenticates the request itself, for webhooks. Replaces the access of the API. */
  identify?(request: UnverifiedRequest, deps: ApiDeps): Promise<Caller>;
  /** The key that identifies copies of the request, which get the first response. Undefined: copies are handled again. */
  delivery?(request: VerifiedRequest, deps: ApiDeps): Delivery | undefined;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  /** Whether it reads data without a tenant. It is for admins of the default tenant then, and gets the unrestricted store. */
  isForOperators?: boolean;
  /** Of JSON. `bytes`: anything, as it comes. */
  body?: z.ZodType<B> | 'bytes';
  /** 200 for a read or an existing result, 201 for a created one, 202 for work that continues. */
  status: 200 | 201 | 202;
  /** The schema of a JSON response. A route can return a Response instead, such as a stream. */
  answer: z.ZodType<R>;
  /** Whether it can respond with server-sent events. */
  streams?: boolean;
  /** Problems specific to the route, in addition to the common ones. */
  problems?: readonly ProblemCode[];
  handle(input: RouteInput<P, Q, B>, deps: RequestDeps, context: Context): Promise<R | Response>;
}

/** A route as part of a list. */
export type AnyRoute = Route<never, never, never, unknown>;

/** Checks the types of a route. */
export function defineRoute<P = Record<string, never>, Q = Record<string, never>, B = undefined, R = unknown>(
  route: Route<P, Q, B, R>,
): AnyRoute {
  return route as unknown as AnyRoute;
}
