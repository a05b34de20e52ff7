// Reads the approvals that wait.

import { readPages } from '../../../shared/client/readPages.ts';
import { api } from './client.ts';

/** The approvals, from all pages. */
export const readApprovals = (left?: AbortSignal) =>
  readPages('approvals', (page) => api.get('/v1/approvals', page, left));
