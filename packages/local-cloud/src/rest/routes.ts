// Which RPC a REST request is for, by the annotations of the protocol files.

import type { Method, Type } from 'protobufjs';
import { loadProtos, type Message, resolveRpcTypes } from '../protocol/protoFiles.ts';
import type { CloudService, Rpc } from '../protocol/services.ts';
import { StatusError, status } from '../protocol/status.ts';

/** `**` matches only documents: their paths are pairs of a collection id and a document id. */
const PATTERNS: Record<string, string> = {
  '/*/**': '(?:/[^/]+/[^/]+)+',
  '/**': '(?:/[^/]+/[^/]+)*',
  '*': '[^/]+',
  '.': '\\.',
};

/** A route: the method and path of an RPC. */
export interface Route {
  /** `GET` */
  method: string;
  /** The path with the places of its fields. */
  template: PathTemplate;
  /** The field that the body is; `*` when it is the request itself, undefined when there is none. */
  body: string | undefined;
  /** `google.pubsub.v1.Publisher.Publish` */
  name: string;
  /** Undefined where the local cloud does not have it. */
  rpc: Rpc | undefined;
  /** The type of the request. */
  request: Type;
  /** The type of the response. */
  response: Type;
  /** A larger request is INVALID_ARGUMENT. */
  maxRequestBytes: number;
}

/** A request's route, with the fields that its path sets. */
export interface Routed {
  /** The matching route. */
  route: Route;
  /** Values of the path, by the name of the field. */
  fields: Record<string, string>;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];

/** The routes of all RPCs that have an annotation. Those of a path with a verb come first. */
export function listAnnotatedRoutes(services: CloudService[]): Route[] {
  const routes = services.flatMap((service) =>
    Object.values(loadProtos(service.protos).lookupService(service.name).methods).flatMap((method) =>
      routesOfMethod(service, method),
    ),
  );
  return routes.sort((left, right) => Number(right.template.hasVerb) - Number(left.template.hasVerb));
}

function routesOfMethod({ name, rpcs, maxRequestBytes = Infinity }: CloudService, method: Method): Route[] {
  const rules = (method.parsedOptions ?? []).map((option: Message) => option['(google.api.http)']);
  const rule: Message = rules.find((each: Message) => each !== undefined);
  if (rule === undefined) return [];
  return [rule, ...[rule.additional_bindings ?? []].flat()].flatMap((binding) =>
    METHODS.filter((each) => binding[each] !== undefined).map((each) => ({
      method: each.toUpperCase(),
      template: parseTemplate(binding[each]),
      body: binding.body,
      name: `${name}.${method.name}`,
      rpc: rpcs[method.name],
      ...resolveRpcTypes(method),
      maxRequestBytes,
    })),
  );
}

/**
 * Finds the route of a request; undefined when there is none.
 * @throws StatusError INVALID_ARGUMENT when the path is not valid.
 */
export function findRoute(routes: Route[], method: string, path: string): Routed | undefined {
  for (const route of routes) {
    const fields = route.method === method ? route.template.match(path) : undefined;
    if (fields !== undefined) return { route, fields };
  }
  return undefined;
}

// Paths of the REST surface, as the google.api.http annotations of the protocol files have them:
// `/v1/{topic=projects/*/topics/*}:publish`.
// https://github.com/googleapis/googleapis/blob/master/google/api/http.proto

/** A template that paths can be compared with. */
interface PathTemplate {
  /** Whether it ends in `:publish` or the like. */
  hasVerb: boolean;
  /** A path's variables by field (`topic`, `topic.name`); undefined for another path. */
  match(path: string): Record<string, string> | undefined;
}

/** The template of a path as an annotation has it. */
function parseTemplate(text: string): PathTemplate {
  const [, body = '', verb = ''] = /^(.*?)(:\w+)?$/.exec(text) ?? [];
  const fields: string[] = [];
  // Pieces in braces are variables: `{name}`, `{name=projects/*}`.
  const pieces = body.split(/(\{[^}]+\})/).map((piece) => {
    if (!piece.startsWith('{')) return toPathPattern(piece);
    const [field = '', segments = '*'] = piece.slice(1, -1).split('=');
    fields.push(field);
    return `(${toPathPattern(segments)})`;
  });
  // A path that ends in a verb is none of a template without.
  const source = `^${pieces.join('')}$`.replace(/\[\^\/\]\+(\)?\$)$/, verb === '' ? '[^/:]+$1' : '[^/]+$1');
  const pattern = new RegExp(source);
  return {
    hasVerb: verb !== '',
    match(path) {
      if (!path.endsWith(verb)) return undefined;
      const values = pattern.exec(path.slice(0, path.length - verb.length))?.slice(1);
      return (
        values &&
        Object.fromEntries(fields.map((field, index) => [field, decodeSegment(values[index] ?? '')]))
      );
    },
  };
}

const toPathPattern = (segments: string): string =>
  segments.replace(/\/\*\/\*\*|\/\*\*|\*|\./g, (wildcard) => PATTERNS[wildcard] ?? '');

/** @throws StatusError INVALID_ARGUMENT for an invalid percent encoding. */
function decodeSegment(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    throw new StatusError(status.INVALID_ARGUMENT, `The path is not valid: ${value}`);
  }
}
