// What sessions have outside of the database, by feature.

import { eraseThoughts } from '../features/interactions/eraseThoughts.ts';

/**
 * Deletes what Google keeps of a session. @returns for each part that stays until the sweep deletes it, why.
 */
export const eraseElsewhere = eraseThoughts;
