// The API with the routes and wires of all features.

import type { Hono } from 'hono';
import { type ApiOptions, type ForeignWire, serveApi } from '../api/createApi.ts';
import type { ApiDeps } from '../api/http/route.ts';
import { ALL_ON, describeOff, type Off } from '../contract/switches.ts';
import { ANTHROPIC_WIRE } from '../features/anthropic/messages.ts';
import { MCP_WIRE } from '../features/mcpServer/mcpRoute.ts';
import { OPENAI_WIRE } from '../features/openai/completions.ts';
import { offFeature } from './offRoutes.ts';
import { present, unlessOff } from './present.ts';
import { listRoutes } from './routes.ts';

const listWires = (off: Off): readonly ForeignWire[] =>
  present([MCP_WIRE, unlessOff(off, 'chat', OPENAI_WIRE), unlessOff(off, 'chat', ANTHROPIC_WIRE)]);

/**
 * Creates the API. It answers every error with a problem and throws nothing.
 * @param options.off the features that are off. Default: none.
 * @param options.routes Default: those of features that are not off.
 */
export const createApi = (
  deps: ApiDeps,
  {
    off = ALL_ON,
    routes = listRoutes(off),
    ...options
  }: Omit<ApiOptions, 'routes' | 'wires' | 'whyNot'> &
    Partial<Pick<ApiOptions, 'routes'>> & { off?: Off | undefined },
): Hono => {
  const whyNot = (path: string) => {
    const feature = offFeature(off, path);
    return feature && describeOff(feature);
  };
  return serveApi(deps, { ...options, routes, wires: listWires(off), whyNot });
};
