// Budgets: sessions of an hour, tokens of a session and of a day.

import type { Feature } from '../../kernel/feature/feature.ts';
import { affordCall } from './affordCall.ts';
import { openLedger } from './tokenLedger.ts';

/** Reserves the tokens of each call of a model, and makes an agent conclude when too few are left. */
export const BUDGETS: Feature = { budgets: { openLedger, affordCall } };
