// The connection of the page, for the bar and for controls that a lost one disables.

import { signal } from '@preact/signals';
import type { Connection } from '../api/follow.ts';

/** Whether the page shows the current state; undefined for pages that are read once. */
export const connection = signal<Connection | undefined>(undefined);
