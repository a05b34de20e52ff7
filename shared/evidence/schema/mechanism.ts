// How a component fails: the closed list by which causes are compared.

import * as z from 'zod';
import { MECHANISMS } from '../../text/mechanisms.ts';

/** A mechanism of the list. */
export const mechanismSchema = z.enum(MECHANISMS);
/** How a component fails. */
export type Mechanism = z.infer<typeof mechanismSchema>;
