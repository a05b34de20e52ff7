// Reads the agents of the configuration and of the store.

import { readPages } from '../../../shared/client/readPages.ts';
import { api } from './client.ts';

/** The agents, from all pages. */
export const readAgents = (left?: AbortSignal) =>
  readPages('agents', (page) => api.get('/v1/agents', page, left));
