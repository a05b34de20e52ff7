// How often Pub/Sub delivers a message of an iteration before it is a dead letter: in tests as in production.

import { FUNCTIONS } from '../../functions/manifest.ts';

/** As runIteration's subscription is configured. */
export const MAX_DELIVERIES = FUNCTIONS.runIteration.deadLetters.maxDeliveryAttempts;
