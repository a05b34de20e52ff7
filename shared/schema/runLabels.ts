// The labels of a run that a program started.

import * as z from 'zod';
import { definePart } from '../core/schema/parts.ts';

/** Values by name. */
export const runLabelsPart = definePart('session', 'runLabels', z.record(z.string(), z.string()));
