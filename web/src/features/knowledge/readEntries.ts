// Reads the entries that the user can see.

import { readPages } from '../../../../shared/client/readPages.ts';
import { api } from '../../api/client.ts';

/** The entries, from all pages. */
export const readEntries = (left: AbortSignal) =>
  readPages('entries', (page) => api.get('/v1/knowledge', page, left));
