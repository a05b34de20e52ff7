// The HTTP API: finds the route of a request, checks who asks and what, runs it, and answers.

import { Hono, type Context as HonoContext } from 'hono';
import { errorMessage } from '../errors.ts';
import { tenantStore } from '../runtime/tenants/tenantStore.ts';
import { DEFAULT_TENANT } from '../schema/session.ts';
import type { Access } from './access/access.ts';
import { answerOnce } from './answerOnce.ts';
import { admission, bodyReader, openStream } from './limits/admission.ts';
import { type ApiLimits, DEFAULT_LIMITS } from './limits/apiLimits.ts';
import { openApiDocument } from './openApi.ts';
import { DOCS_POLICY, openApiPage } from './openApiPage.ts';
import { isOpenAiAddress, openAiError } from './openai/completions.ts';
import { isForLog, Problem, problemDetails } from './problem.ts';
import { parse, queryOf, readJson } from './readRequest.ts';
import {
  type AnyRoute,
  type ApiDeps,
  type Caller,
  mayAct,
  type Once,
  type RequestDeps,
  type Route,
} from './route.ts';
import { ROUTES } from './routes.ts';
import { takeDelivery } from './webhooks/takeDelivery.ts';
import { PAGE_HEADERS, type WebPage, webFileAt } from './webPage.ts';

/** Sent with every answer. Nothing of it may stand in a page. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

/** The name of such a file changes with its content. */
const FOR_EVER = { 'Cache-Control': 'public, max-age=31536000, immutable' };

const NO_PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'";
/** Where every route is described for people. */
const DOCS = '/v1/docs';
/** For load balancers and uptime checks. Cloud Run does not pass `/healthz` on from outside, so both exist. */
const HEALTH = ['/health', '/healthz'];

/** How the API is made. */
export interface ApiOptions {
  access: Access;
  /** Whether answers are held to their schemas: for tests. Default: they are sent as they are. */
  checksAnswers?: boolean;
  routes?: readonly AnyRoute[];
  /** Default: `DEFAULT_LIMITS`, also for those that are left out. */
  limits?: Partial<ApiLimits> | undefined;
  /** The dashboard. Default: none, and its address leads to the description of the API. */
  page?: WebPage | undefined;
  /** Called with an error of the system, of which callers get a general message. Default: it is logged. */
  onFailure?: (error: unknown) => void;
}

/** The API as a function of requests. It throws nothing. */
export function createApi(deps: ApiDeps, options: ApiOptions): Hono {
  const { access, checksAnswers = false, routes = ROUTES, page, limits, onFailure } = options;
  const app = new Hono();
  addHeaders(app, page);
  const admitted = admission(deps, access, { ...DEFAULT_LIMITS, ...limits });

  // No caller, no count, no read: the answer depends on nothing but the process.
  app.on('GET', HEALTH, (context) => context.json({ status: 'ok' }));

  for (const route of routes as readonly Route[]) addRoute(app, route, deps, admitted, checksAnswers);
  addDescription(app, routes, admitted);
  addPage(app, page);
  addNotFound(app, routes, admitted);
  addErrors(app, deps, onFailure);
  return app;
}

type Admission = ReturnType<typeof admission>;

/** Sends the headers of every answer. */
function addHeaders(app: Hono, page: WebPage | undefined): void {
  app.use(async (context, next) => {
    await next();
    const { headers } = context.res;
    const { path } = context.req;
    const file = page && webFileAt(page, path);
    const policy = { 'Content-Security-Policy': path === DOCS ? DOCS_POLICY : NO_PAGE_POLICY };
    const own = {
      ...HEADERS,
      ...(file === undefined ? policy : PAGE_HEADERS),
      ...(file?.isHashed && FOR_EVER),
    };
    for (const [name, value] of Object.entries(own)) headers.set(name, value);
  });
}

/** Answers the requests of a route. */
function addRoute(
  app: Hono,
  route: Route,
  deps: ApiDeps,
  { callerOf, bodies, streams }: Admission,
  checksAnswers: boolean,
): void {
  const paths = addressesOf(route).map((path) => path.replaceAll(/\{(\w+)\}/g, ':$1'));
  const handleRequest = async (context: HonoContext, body: () => Promise<Buffer>) => {
    const caller = await callerOf(context, route, body);
    checkRole(caller, route);
    const params = parse(route.params, context.req.param(), 'path');
    const query = parse(route.query, queryOf(context), 'query');
    const bytes = route.body === undefined ? undefined : await body();
    const content = bytes && bodyOf(context, bytes, route.body);
    const own = route.isForOperators ? deps : depsOf(deps, caller);
    const key = context.req.header('idempotency-key');
    const once: Once = (act) =>
      key === undefined || bytes === undefined
        ? act()
        : answerOnce({ key, method: route.method, path: context.req.path, body: bytes, caller }, act, own);
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
      delivery ? takeDelivery(delivery, caller, act, own) : act(),
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
  const described = () => {
    document ??= openApiDocument(routes);
    return document;
  };
  app.get('/v1/openapi.json', async (context) => {
    await callerOf(context);
    return context.json(described());
  });

  app.get(DOCS, async (context) => {
    await callerOf(context);
    return context.html(openApiPage(described()));
  });
}

/** Serves the dashboard; without one, `/` leads to the description. */
function addPage(app: Hono, page: WebPage | undefined): void {
  app.get('/*', async (context, next) => {
    const { path } = context.req;
    if (page === undefined && path === '/') return context.redirect(DOCS);
    const file = page && webFileAt(page, path);
    if (file === undefined) return next();
    // Anybody may have it, and links from elsewhere lead to it: it holds no data, and what it asks for is checked.
    return context.body(file.body, 200, { 'Content-Type': file.type });
  });
}

/** Answers unknown addresses, and known ones with another method. */
function addNotFound(app: Hono, routes: readonly AnyRoute[], { callerOf }: Admission): void {
  const addressed = [
    ...routes.flatMap((route) =>
      addressesOf(route).map((path) => ({ path, method: route.method as string })),
    ),
    ...HEALTH.map((path) => ({ path, method: 'get' })),
  ];
  const methodsOf = Map.groupBy(addressed, ({ path }) => path.replaceAll(/\{\w+\}/g, '[^/]+'));
  app.notFound(async (context) => {
    const [, others] = [...methodsOf].find(([path]) => new RegExp(`^${path}$`).test(context.req.path)) ?? [];
    const [, source] = /^\/v1\/webhooks\/([\w.-]{1,100})$/.exec(context.req.path) ?? [];
    const isUnknown = source !== undefined && others === undefined;
    await callerOf(context, isUnknown ? unknownWebhook(source) : undefined, async () => NO_BODY);
    if (others === undefined)
      throw new Problem(
        'NOT_FOUND',
        'there is no such address; GET /v1/openapi.json describes those there are',
      );
    const allowed = others.map(({ method }) => method.toUpperCase()).join(', ');
    throw new Problem('METHOD_NOT_ALLOWED', `${context.req.method} is not for this address, but ${allowed}`);
  });
}

/** Answers errors as problems. @param onFailure gets errors of the system; they are logged when it is absent. */
function addErrors(app: Hono, deps: ApiDeps, onFailure: ApiOptions['onFailure']): void {
  const logFailure = (error: unknown) =>
    deps.log.error({ err: error }, `a request failed: ${errorMessage(error)}`);
  app.onError((error, context) => {
    const problem = problemDetails(error, deps.mask);
    if (isForLog(problem)) (onFailure ?? logFailure)(error);
    if (problem.code === 'LOGIN_REQUIRED') context.header('WWW-Authenticate', 'Bearer');
    if (error instanceof Problem && error.retryAfter !== undefined)
      context.header('Retry-After', `${error.retryAfter}`);
    const isOpenAi = isOpenAiAddress(context.req.path);
    return context.body(JSON.stringify(isOpenAi ? openAiError(problem) : problem), problem.status as 400, {
      'Content-Type': isOpenAi ? 'application/json' : 'application/problem+json',
    });
  });
}

function addressesOf({ path, alias }: Pick<Route, 'path' | 'alias'>): string[] {
  return alias === undefined ? [path] : [path, alias];
}

const NO_BODY = Buffer.alloc(0);

/** Stands for the route of a source that there is none for: like those of others it asks for no login. */
function unknownWebhook(source: string): Pick<Route, 'identify'> {
  return {
    identify() {
      throw new Problem(
        'NOT_FOUND',
        `there are no webhooks of "${source}"; send them to /v1/webhooks/generic, and add generic to webhooks.yaml of the configuration`,
      );
    },
  };
}

function checkRole({ role, tenantId }: Caller, route: Route): void {
  const { id, role: needed } = route;
  if (!mayAct(role, needed))
    throw new Problem('ACCESS_DENIED', `${id} is for the role ${needed}; yours is ${role}`);
  if (route.isForOperators && tenantId !== DEFAULT_TENANT)
    throw new Problem('ACCESS_DENIED', `${id} is for operators: it shows what belongs to no tenant`);
}

function bodyOf(context: HonoContext, bytes: Buffer, schema: Route['body']): unknown {
  return schema === undefined || schema === 'bytes' ? bytes : readJson(context, bytes, schema);
}

function depsOf(deps: ApiDeps, { tenantId }: Caller): RequestDeps {
  return { ...deps, store: tenantStore(deps.store, tenantId) };
}
