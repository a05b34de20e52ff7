// The HTTP API: finds the route, checks caller, role and parameters, runs the route, and responds.

import { Hono, type Context as HonoContext } from 'hono';
import { errorMessage } from '../core/errors.ts';
import { DEFAULT_TENANT } from '../core/schema/session.ts';
import { tenantStore } from '../kits/tenants/tenantStore.ts';
import { logCallers, recordCaller } from './http/callerLog.ts';
import { compressResponses } from './http/compress.ts';
import { answerOnce } from './http/idempotency.ts';
import { isForLog, Problem, type ProblemDetails, problemDetails } from './http/problem.ts';
import { parsePart, readJson, readRequestQuery } from './http/readRequest.ts';
import {
  type Access,
  type AnyRoute,
  type ApiDeps,
  type Caller,
  mayAct,
  type Once,
  type RequestDeps,
  type Route,
} from './http/route.ts';
import { bodyReader, createAdmission, openStream } from './limits/admission.ts';
import { type ApiLimits, DEFAULT_LIMITS } from './limits/apiLimits.ts';
import { openApiDocument } from './pages/openApi.ts';
import { DOCS_POLICY, openApiPage } from './pages/openApiPage.ts';
import { pageResponse, unknownPage, type WebPage } from './pages/webPage.ts';
import { deduplicateDelivery } from './webhooks/deduplicateDelivery.ts';

/** Sent with every answer. No other site can read or frame it. */
const HEADERS = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** A year. Only for HTTPS: the proxy of Cloud Run, or a tunnel, ends TLS and names the scheme. */
const HTTPS_ONLY = { 'Strict-Transport-Security': 'max-age=31536000' };

/** Answers contain data of a tenant. */
const NOT_KEPT = { 'Cache-Control': 'no-store' };

/** https://prometheus.io/docs/instrumenting/exposition_formats/ */
const PROMETHEUS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

const NO_PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** The address of the page that describes every route. */
const DOCS = '/v1/docs';
/** For load balancers and uptime checks. Cloud Run does not pass `/healthz` from outside: both exist. */
const HEALTH = ['/health', '/healthz'];

/** A wire of another product, whose clients read errors in a form of their own. */
export interface ForeignWire {
  /** Whether its clients use this address. */
  owns(path: string): boolean;
  /** The start of the error for an unknown address: what to use instead. */
  advice: string;
  /** A problem in its form. */
  error(problem: ProblemDetails): object;
}

/** The options of the API. */
export interface ApiOptions {
  /** Identifies callers. */
  access: Access;
  /** Whether responses are checked against their schemas, for tests. Default: false. */
  checksAnswers?: boolean;
  /** All routes, in the order of the description. */
  routes: readonly AnyRoute[];
  /** The wires of other products that clients speak. */
  wires: readonly ForeignWire[];
  /** Why an address that could exist does not. Default: no address has a reason. */
  whyNot?: (path: string) => string | undefined;
  /** Limits to change. Default: `DEFAULT_LIMITS`. */
  limits?: Partial<ApiLimits> | undefined;
  /** The dashboard. Default: none; `/` redirects to the description of the API. */
  page?: WebPage | undefined;
  /** Whether to accept webhooks. Default: true. */
  webhooks?: boolean;
  /** Whether each request of an identified caller is logged. Default: false. */
  logsCallers?: boolean;
  /** The metrics for Prometheus at `GET /metrics`, in its text format. Default: none. */
  metrics?: (() => Promise<string>) | undefined;
  /** Called with an internal error, for which callers get a generic message. Default: it is logged. */
  onFailure?: (error: unknown) => void;
}

/** Creates the API. It answers every error with a problem and throws nothing. */
export function serveApi(deps: ApiDeps, options: ApiOptions): Hono {
  const { access, checksAnswers = false, page, limits, webhooks = true, wires, onFailure } = options;
  const { whyNot = () => undefined } = options;
  const { logsCallers = false } = options;
  const isServed = ({ identify }: AnyRoute) => webhooks || identify === undefined;
  const routes = options.routes.filter(isServed);
  const app = new Hono();
  addHeaders(app);
  if (logsCallers) app.use(logCallers(deps.log));
  app.use(compressResponses());
  const admitted = createAdmission(deps, access, { ...DEFAULT_LIMITS, ...limits });

  // Needs no login, counts against no limit and reads nothing: only a running process matters.
  app.on('GET', HEALTH, (context) => context.json({ status: 'ok' }));

  if (options.metrics) addMetrics(app, options.metrics, admitted);
  for (const route of routes as readonly Route[]) addRoute(app, route, deps, admitted, checksAnswers);
  addDescription(app, routes, admitted);
  addPage(app, page);
  addNotFound(app, { routes, webhooks, wires, whyNot }, admitted, page);
  addErrors(app, deps, wires, onFailure);
  return app;
}

type Admission = ReturnType<typeof createAdmission>;

/** Serves the metrics of all tenants to callers that the access rules accept. */
function addMetrics(app: Hono, read: () => Promise<string>, { callerOf }: Admission): void {
  app.get('/metrics', async (context) => {
    await callerOf(context, undefined, async () => NO_BODY);
    return context.body(await read(), 200, { 'Content-Type': PROMETHEUS_TYPE });
  });
}

/** Sends the headers of every answer. The page has its own policy and cache control. */
function addHeaders(app: Hono): void {
  app.use(async (context, next) => {
    await next();
    const { headers } = context.res;
    const isPage = headers.has('Content-Security-Policy');
    const policy = context.req.path === DOCS ? DOCS_POLICY : NO_PAGE_POLICY;
    const isHttps = context.req.header('x-forwarded-proto') === 'https';
    const own = {
      ...HEADERS,
      ...(isHttps && HTTPS_ONLY),
      ...(!isPage && { ...NOT_KEPT, 'Content-Security-Policy': policy }),
    };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
  });
}

function addRoute(
  app: Hono,
  route: Route,
  deps: ApiDeps,
  { callerOf, bodies, streams }: Admission,
  checksAnswers: boolean,
): void {
  const paths = listRouteAddresses(route).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  const handleRequest = async (context: HonoContext, body: () => Promise<Buffer>) => {
    const caller = await callerOf(context, route, body);
    const record = recordCaller(context, route.id, caller);
    checkRole(caller, route);
    const params = parsePart(route.params, context.req.param(), 'path');
    if (route.params !== undefined) record.params = params;
    const query = parsePart(route.query, readRequestQuery(context), 'query');
    const bytes = route.body === undefined ? undefined : await body();
    const content = bytes && parseRouteBody(context, bytes, route.body);
    const own = route.isForOperators ? deps : chooseRequestDeps(deps, caller);
    const key = context.req.header('idempotency-key');
    const { repeatedWithinMs } = route;
    const once: Once = (act, isCurrent) => {
      if (bytes === undefined) return act();
      const repeatable = { key, ...listIdempotentContent(context, route, bytes), caller };
      if (key !== undefined) return answerOnce(repeatable, act, own);
      if (repeatedWithinMs === undefined) return act();
      const isRecent = (at: Date) => own.clock.now().getTime() - at.getTime() < repeatedWithinMs;
      return answerOnce(
        {
          ...repeatable,
          isCurrent: async ({ answer, createdAt }) =>
            isRecent(createdAt) && ((await isCurrent?.(answer)) ?? true),
        },
        act,
        own,
      );
    };
    const handle = (messageId?: string) =>
      route.handle({ params, query, body: content, caller, once, messageId }, own, context);
    if (route.streams) return await openStream(streams.open(caller), handle as () => Promise<Response>);
    const act = async (messageId?: string) => {
      const answer = await handle(messageId);
      return {
        status: route.status,
        body: JSON.stringify(checksAnswers ? route.answer.parse(answer) : answer),
      };
    };
    const delivery = bytes && route.delivery?.({ headers: context.req.raw.headers, body: bytes }, deps);
    const { status, body: json } = await once(() =>
      delivery ? deduplicateDelivery(delivery, caller, act, own) : act(),
    );
    return context.body(json, status as 200, {
      'Content-Type': status < 400 ? 'application/json' : 'application/problem+json',
    });
  };
  app.on(route.method.toUpperCase(), paths, async (context) => {
    const body = bodyReader(context.req.raw, route.identify ? bodies.ofWebhooks : bodies.ofCallers);
    try {
      return await handleRequest(context, body.read);
    } finally {
      body.release();
    }
  });
}

/** Describes the routes, for programs and for people. */
function addDescription(app: Hono, routes: readonly AnyRoute[], { callerOf }: Admission): void {
  let document: ReturnType<typeof openApiDocument> | undefined;
  const readDocument = () => {
    document ??= openApiDocument(routes);
    return document;
  };
  app.get('/v1/openapi.json', async (context) => {
    await callerOf(context);
    return context.json(readDocument());
  });

  app.get(DOCS, async (context) => {
    await callerOf(context);
    return context.html(openApiPage(readDocument()));
  });
}

/** Serves the dashboard; without one, `/` leads to the description. */
function addPage(app: Hono, page: WebPage | undefined): void {
  app.get('/*', async (context, next) => {
    const { path } = context.req;
    if (page === undefined && path === '/') return context.redirect(DOCS);
    // Public, for links from other sites: it contains no data, and its API requests are authenticated.
    return (page && pageResponse(page, path, context.req.raw.headers)) ?? next();
  });
}

/**
 * Answers unknown addresses, and known addresses with an unsupported method. A browser gets the page, which
 * links to the sessions.
 */
function addNotFound(
  app: Hono,
  {
    routes,
    webhooks,
    wires,
    whyNot,
  }: {
    routes: readonly AnyRoute[];
    webhooks: boolean;
    wires: readonly ForeignWire[];
    whyNot: (path: string) => string | undefined;
  },
  { callerOf }: Admission,
  page: WebPage | undefined,
): void {
  const addressed = [
    ...routes.flatMap((route) =>
      listRouteAddresses(route).map((path) => ({ path, method: route.method as string })),
    ),
    ...HEALTH.map((path) => ({ path, method: 'get' })),
  ];
  const methodsOf = Map.groupBy(addressed, ({ path }) => path.replaceAll(/\{\w+\}/g, '[^/]+'));
  app.notFound(async (context) => {
    const shown = page && unknownPage(page, context.req.raw);
    if (shown) return shown;
    const [, others] = [...methodsOf].find(([path]) => new RegExp(`^${path}$`).test(context.req.path)) ?? [];
    const [, source] = /^\/v1\/webhooks\/([\w.-]{1,100})$/.exec(context.req.path) ?? [];
    const isUnknown = webhooks && source !== undefined && others === undefined;
    const reason = whyNot(context.req.path);
    await callerOf(context, isUnknown ? unknownWebhook(source, reason) : undefined, async () => NO_BODY);
    if (reason !== undefined) throw new Problem('NOT_FOUND', reason);
    if (others === undefined)
      throw new Problem(
        'NOT_FOUND',
        `this address does not exist; ${wires.find(({ owns }) => owns(context.req.path))?.advice ?? ''}GET /v1/openapi.json lists the addresses`,
      );
    const allowed = others.map(({ method }) => method.toUpperCase()).join(', ');
    throw new Problem(
      'METHOD_NOT_ALLOWED',
      `this address does not support ${context.req.method}, only ${allowed}`,
    );
  });
}

/** Answers errors as problems. @param onFailure gets internal errors. Default: they are logged. */
function addErrors(
  app: Hono,
  deps: ApiDeps,
  wires: readonly ForeignWire[],
  onFailure: ApiOptions['onFailure'],
): void {
  const logFailure = (error: unknown) =>
    deps.log.error({ err: error }, `a request failed: ${errorMessage(error)}`);
  app.onError((error, context) => {
    const problem = problemDetails(error, deps.mask);
    if (isForLog(problem)) (onFailure ?? logFailure)(error);
    if (problem.code === 'LOGIN_REQUIRED') context.header('WWW-Authenticate', 'Bearer');
    if (error instanceof Problem && error.retryAfter !== undefined)
      context.header('Retry-After', `${error.retryAfter}`);
    const wire = wires.find(({ owns }) => owns(context.req.path));
    return context.body(JSON.stringify(wire?.error(problem) ?? problem), problem.status as 400, {
      'Content-Type': wire ? 'application/json' : 'application/problem+json',
    });
  });
}

/** The parts of a request that its `Idempotency-Key` belongs to. */
function listIdempotentContent({ req }: HonoContext, { method, headers }: Route, body: Buffer) {
  const names = Object.keys(headers?.shape ?? {});
  const given = names.flatMap((name) => req.header(name) ?? []);
  return { method, path: req.path, search: new URL(req.url).search, headers: given, body };
}

function listRouteAddresses({ path, alias }: Pick<Route, 'path' | 'alias'>): string[] {
  return alias === undefined ? [path] : [path, alias];
}

const NO_BODY = Buffer.alloc(0);

/** The route of an unknown webhook source. Like the routes of known sources it needs no login. */
function unknownWebhook(source: string, reason: string | undefined): Pick<Route, 'identify'> {
  return {
    identify() {
      throw new Problem(
        'NOT_FOUND',
        reason ??
          `there are no webhooks of "${source}"; send them to /v1/webhooks/generic, and add generic to webhooks.yaml of the configuration`,
      );
    },
  };
}

function checkRole({ role, tenantId }: Caller, route: Route): void {
  const { id, role: needed } = route;
  if (!mayAct(role, needed))
    throw new Problem('ACCESS_DENIED', `${id} requires the role ${needed}; yours is ${role}`);
  if (route.isForOperators && tenantId !== DEFAULT_TENANT)
    throw new Problem('ACCESS_DENIED', `${id} is for operators: it shows data without a tenant`);
}

function parseRouteBody(context: HonoContext, bytes: Buffer, schema: Route['body']): unknown {
  return schema === undefined || schema === 'bytes' ? bytes : readJson(context, bytes, schema);
}

function chooseRequestDeps(deps: ApiDeps, { tenantId, hasDatabase = false }: Caller): RequestDeps {
  const wholeStore = hasDatabase || tenantId === DEFAULT_TENANT ? deps.store : undefined;
  return { ...deps, store: tenantStore(deps.store, tenantId), wholeStore };
}
