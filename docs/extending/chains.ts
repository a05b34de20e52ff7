// `GET /v1/chains`: the chains of the configuration.

import * as z from 'zod';
import { defineRoute } from '../../shared/api/http/route.ts';

const list = defineRoute({
  method: 'get',
  path: '/v1/chains',
  id: 'listChains',
  summary: 'The chains of the configuration, with their stages',
  role: 'viewer',
  status: 200,
  answer: z.strictObject({
    chains: z.array(z.strictObject({ name: z.string(), stages: z.array(z.string()) })),
    now: z.date(),
  }),
  async handle(_, { config, clock }) {
    const chains = Object.values(config.chains).map(({ name, stages }) => ({
      name,
      stages: stages.map((stage) => stage.name),
    }));
    return { chains, now: clock.now() };
  },
});

/** The route of chains. */
export const CHAIN_ROUTES = [list];
