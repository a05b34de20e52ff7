// Which RPC a REST request is for, by the annotations of the protocol files.

import type { Method, Type } from 'protobufjs';
import { loadProtos, type Message, resolveRpcTypes } from '../protocol/protoFiles.ts';
import type { CloudService, Rpc } from '../protocol/services.ts';
import { type PathTemplate, parseTemplate } from './template.ts';

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
