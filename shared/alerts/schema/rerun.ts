// The part of a session that repeats another one.

import * as z from 'zod';
import { definePart } from '../../core/schema/parts.ts';

/** The session whose alert is investigated again at a user's request. */
export const rerunPart = definePart('session', 'rerun', z.strictObject({ of: z.string().min(1) }));
