// The type of an API route. Router, checks and the OpenAPI document use the same list of routes.

import type { Context } from 'hono';
import type * as z from 'zod';
import type { FeatureDeps } from '../../contract/featureDeps.ts';
import type { RawDocuments } from '../../contract/rawDocuments.ts';
import type { Masker } from '../../core/contract/guard.ts';
import type { ConversationMessage, LlmClient } from '../../core/contract/llm.ts';
import type { Publisher } from '../../core/contract/publisher.ts';
import type { Store } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { ModelSettings } from '../../core/schema/agent.ts';
import type { CheckAlert } from '../../kits/alerts/checkAlert.ts';
import type { LiveSource } from '../../kits/live/liveSource.ts';
import type { openChat } from '../../kits/questions/openChat.ts';
import type { Headers as RequestHeaders } from '../../kits/tenants/requestTenant.ts';
import { API_ROLES, type ApiRole } from '../../schema/apiRole.ts';
import type { ConversationForm } from '../../text/conversationForms.ts';
import type { JsonObject } from '../../text/json.ts';
import type { ProblemCode } from './problem.ts';
import type { Delivery, UnverifiedRequest, VerifiedRequest, Webhooks } from './webhook.ts';

/** Whether a role has the permissions of another role. */
export function mayAct(role: ApiRole, needed: ApiRole): boolean {
  return API_ROLES.indexOf(role) >= API_ROLES.indexOf(needed);
}

/** The caller of a request, with its tenant. */
export interface Caller {
  /** The tenant whose data the caller reads and writes. */
  tenantId: string;
  /** Whether the caller can read the whole database anyway, as a command can. Default: false. */
  hasDatabase?: boolean;
  /** The name that timelines store and show for actions of the caller. */
  name: string;
  /** Null when the request names no user. */
  userId: string | null;
  /** Decides which routes the caller can use. */
  role: ApiRole;
  /** The id of the API key in the request: two keys can have the same name. Absent without a key. */
  keyId?: string;
}

/** A text that identifies a caller for limits and idempotency. No two callers have the same one. */
export function callerIdentity({ tenantId, keyId, userId, name }: Caller): string {
  return JSON.stringify([tenantId, keyId ?? null, userId, name]);
}

/**
 * Identifies the caller of a request.
 * @param address the client's address, as a key for limits (`clientAddress`).
 * @throws Problem `LOGIN_REQUIRED`, `ACCESS_DENIED`, `RATE_LIMITED`, `REQUEST_INVALID`; RetryableError when
 * the store fails.
 */
export interface Access {
  (headers: RequestHeaders, address: string): Promise<Caller>;
  /**
   * Whether the limits by address let the request pass, without a read of the store: its credential was valid
   * within the last hour, or there are none to guess. Absent: no request passes.
   */
  recognises?(headers: RequestHeaders): boolean;
}

/** Dependencies of the API. */
export interface ApiDeps
  extends Omit<AlertDeps, 'failpoint'>,
    Pick<FeatureDeps, 'storedAgents' | 'embed' | 'noticeKeys'> {
  /** Lists documents by fields without reading them whole, for lists of sessions and usage. */
  documents: RawDocuments;
  /** The chains and agents of the configuration. */
  config: Parameters<typeof openChat>[2];
  /** Reads an alert before it is published. */
  checkAlert: CheckAlert;
  /** Refuses secrets in agents that are stored, and masks them in agents that are shown. */
  agentMasker: Masker;
  /** The model that scores sessions; undefined for none. Absent: as undefined. */
  judge?(): { llm: LlmClient; model: ModelSettings } | undefined;
  /** Live texts that no function writes. Absent: there are none. */
  liveSource?: LiveSource | undefined;
  /** The sources of webhooks.yaml, and the requests to SNS. */
  webhooks: Webhooks;
  /** The signing secrets of Slack apps, by destination. Empty: their requests are refused. */
  slackApps: Readonly<Record<string, string>>;
  /** The destinations of these apps that take questions outside of sessions. Absent: none. */
  slackAsks?: readonly string[] | undefined;
  /** The alert to try the configuration with, without secrets. Default: it has none. */
  exampleAlert?: string | undefined;
  /** When the process started to serve. Default: long ago. */
  startedAt?: Date | undefined;
  /** The version of the package, for clients of the MCP server. */
  version: string;
  /** The address of a document in the Firestore console; undefined with an emulator. */
  documentUrl: ((path: string) => string) | undefined;
  /** A conversation in the form of a provider's API. */
  exportConversation(messages: readonly ConversationMessage[], form: ConversationForm): JsonObject;
  /** Removes secrets from a text. */
  mask(text: string): string;
}

/** The dependencies of one request: the store is restricted to the caller's tenant. */
export interface RequestDeps extends ApiDeps {
  /** The store, which shows only documents of the tenant. */
  store: Store;
  /** The unrestricted store; only for callers of the default tenant, and for those with the database. */
  wholeStore?: Store | undefined;
  /** Publishes alerts and iterations. */
  publisher: Publisher;
}

/** A response. */
export interface Answer {
  /** The HTTP status. */
  status: number;
  /** The body as JSON. */
  body: string;
}

/**
 * Runs `act` once per `Idempotency-Key`, and returns the stored response for repeated requests.
 * @param isCurrent whether a stored response still answers a request without a key, for routes with
 *   `repeatedWithinMs`. Default: it does.
 */
export type Once = (
  act: () => Promise<Answer>,
  isCurrent?: (stored: Answer) => Promise<boolean>,
) => Promise<Answer>;

/** A request whose parts fit the route's schemas. */
interface RouteInput<P, Q, B> {
  /** The parameters in the path. */
  params: P;
  /** The parameters of the query. */
  query: Q;
  /** The body; undefined for routes without one. */
  body: B;
  /** The authenticated caller. */
  caller: Caller;
  /** Runs `act` once per `Idempotency-Key`, for routes that stream; other handlers run once as a whole. */
  once: Once;
  /** The id that all copies of the request have, for routes with `delivery`. */
  messageId?: string | undefined;
}

/** A route. Schemas are those of JSON: times are texts in ISO 8601. */
export interface Route<P = unknown, Q = unknown, B = unknown, R = unknown> {
  /** The HTTP method. */
  method: 'get' | 'post';
  /** As in OpenAPI: `/v1/sessions/{sessionId}`. */
  path: string;
  /** A second address of the route, which the OpenAPI document omits. Absent: none. */
  alias?: string;
  /** The name of the operation, unique. */
  id: string;
  /** One line for the OpenAPI document. */
  summary: string;
  /** Further sentences for the OpenAPI document. Absent: none. */
  description?: string;
  /** The role that a caller needs. */
  role: ApiRole;
  /** Authenticates the request itself, for webhooks. Replaces the access of the API. */
  identify?(request: UnverifiedRequest, deps: ApiDeps): Promise<Caller>;
  /** The key of copies of the request, which get the first response. Undefined: copies are handled. */
  delivery?(request: VerifiedRequest, deps: ApiDeps): Delivery | undefined;
  /** The schema of the parameters in the path. Absent: none. */
  params?: z.ZodType<P>;
  /** The schema of the query. Absent: a query is refused. */
  query?: z.ZodType<Q>;
  /** Headers with content of the request, in lower case, which the handler reads. Absent: none. */
  headers?: z.ZodObject;
  /**
   * Milliseconds within which an equal request of the same caller is a repetition, also without a key:
   * clients repeat requests by themselves. Absent: only requests with a key are repetitions.
   */
  repeatedWithinMs?: number;
  /** Whether it reads data without a tenant: only for admins of the default tenant, with the whole store. */
  isForOperators?: boolean;
  /** The schema of a JSON body. `bytes`: any body, as received. Absent: the body is not read. */
  body?: z.ZodType<B> | 'bytes';
  /** 200 for a read or an existing result, 201 for a created one, 202 for work that continues. */
  status: 200 | 201 | 202;
  /** The schema of a JSON response. A route can return a Response instead, such as a stream. */
  answer: z.ZodType<R>;
  /** Whether it can respond with server-sent events. */
  streams?: boolean;
  /** Problems specific to the route, in addition to the common ones. */
  problems?: readonly ProblemCode[];
  /** Handles a valid request of a caller with the role. Throws a Problem for errors that callers can fix. */
  handle(input: RouteInput<P, Q, B>, deps: RequestDeps, context: Context): Promise<R | Response>;
}

/** A route as part of a list. */
export type AnyRoute = Route<never, never, never, unknown>;

/** A value after it went through JSON. */
export type Json<T> = T extends Date
  ? string
  : T extends string
    ? T
    : T extends readonly (infer U)[]
      ? Json<U>[]
      : T extends object
        ? { [K in keyof T]: Json<T[K]> }
        : T;

interface TypedRoute<M, Path, P, Q, B, A> extends AnyRoute {
  method: M & Route['method'];
  path: Path & string;
  /** Only a type: no route has a value here. */
  types?: { params: P; query: Q; body: B; answer: Json<A> };
}

type NoParts = z.ZodType<Record<string, never>, Record<string, never>>;
type NoBody = z.ZodType<undefined, undefined>;
type BodyIn<B> = B extends z.ZodType ? z.input<B> : Uint8Array | string;
type BodyOut<B> = B extends z.ZodType ? z.output<B> : Buffer;

/** Checks the types of a route. */
export function defineRoute<
  const M extends Route['method'],
  const Path extends string,
  A extends z.ZodType,
  P extends z.ZodType = NoParts,
  Q extends z.ZodType = NoParts,
  B extends z.ZodType | 'bytes' = NoBody,
>(
  route: Omit<
    Route<z.output<P>, z.output<Q>, BodyOut<B>, z.output<A>>,
    'method' | 'path' | 'params' | 'query' | 'body' | 'answer'
  > & { method: M; path: Path; params?: P; query?: Q; body?: B; answer: A },
): TypedRoute<M, Path, z.input<P>, z.input<Q>, BodyIn<B>, z.output<A>> {
  return route as never;
}
