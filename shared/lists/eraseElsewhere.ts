// Deletes parts of sessions outside of the database, by feature.

import { eraseThoughts } from '../features/interactions/eraseThoughts.ts';

/** Deletes the questions of a session at Google. @returns for each one that stays until a sweep, why. */
export const eraseElsewhere = eraseThoughts;
