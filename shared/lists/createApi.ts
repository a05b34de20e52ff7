// The API with the routes and wires of all features.

import type { Hono } from 'hono';
import { type ApiOptions, type ForeignWire, serveApi } from '../api/createApi.ts';
import type { ApiDeps } from '../api/http/route.ts';
import { OPENAI_WIRE } from '../features/openai/completions.ts';
import { ROUTES } from './routes.ts';

const WIRES: readonly ForeignWire[] = [OPENAI_WIRE];

/**
 * Creates the API. It answers every error with a problem and throws nothing.
 * @param options.routes Default: all.
 */
export const createApi = (
  deps: ApiDeps,
  { routes = ROUTES, ...options }: Omit<ApiOptions, 'routes' | 'wires'> & Partial<Pick<ApiOptions, 'routes'>>,
): Hono => serveApi(deps, { ...options, routes, wires: WIRES });
