// The part of a session with the dependencies near its alert, as resources.yaml declared them.

import * as z from 'zod';
import { definePart } from '../../core/schema/parts.ts';

const dependencySchema = z.strictObject({ of: z.string().min(1), on: z.array(z.string().min(1)) });
/** The dependencies near the alert's resource when the session was opened. */
export const dependenciesPart = definePart(
  'session',
  'dependencies',
  z.strictObject({ near: z.array(dependencySchema) }),
);
