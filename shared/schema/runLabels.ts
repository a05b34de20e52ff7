// The labels of a run that a program started, and the texts by which lists find it.

import * as z from 'zod';
import { definePart } from '../core/schema/parts.ts';

/** Values by name. */
export const runLabelsPart = definePart('session', 'runLabels', z.record(z.string(), z.string()));

/** The texts of `listFilterTexts`, written with each change of the run. */
export const runFiltersPart = definePart('session', 'runFilters', z.array(z.string()));
/** Where they are. */
export const RUN_FILTERS_FIELD = 'parts.runFilters';
