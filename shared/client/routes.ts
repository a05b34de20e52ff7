// The types of a call: a route gives its parameters, its body, its answer, and the messages of its stream.

import type { StreamsMap } from '../lists/apiTypes.ts';
import type { RoutesMap } from '../lists/routes.ts';

/** The paths of all routes with a method. */
export type PathOf<M extends 'GET' | 'POST'> = keyof RoutesMap extends infer R
  ? R extends `${M} ${infer P}`
    ? P
    : never
  : never;

/** The parts of a request that a route has; a route without them has a record of nothing. */
type Declared<T> = string extends keyof T ? unknown : T;

/** The parameters of a route in its path and its query, in one object. */
export type ParametersOf<R extends keyof RoutesMap> = Declared<RoutesMap[R]['params']> &
  Declared<RoutesMap[R]['query']>;

/** The body of a route. */
export type BodyOf<R extends keyof RoutesMap> = RoutesMap[R]['body'];

/** The arguments after a path. Parameters can be left out where none is required. */
export type GetArguments<R extends keyof RoutesMap> =
  object extends ParametersOf<R>
    ? [parameters?: ParametersOf<R>, signal?: AbortSignal]
    : [parameters: ParametersOf<R>, signal?: AbortSignal];

/** The path of a stream of events. */
export type StreamPath = keyof StreamsMap & PathOf<'GET'>;

/** A message of a stream: one of `Messages`, which has the data of each event by its name. */
type MessageOf<Messages> = {
  [K in keyof Messages]: { event: K; data: Messages[K] };
}[keyof Messages];

/** A message of the stream at a path. */
export type StreamMessage<P extends StreamPath> = MessageOf<StreamsMap[P]>;
