// All change adapters, and with them the sources of changes. The generic one is last: it reads what no other recognises.

import type { ChangeAdapter } from './adapter.ts';
import { auditLog } from './adapters/auditLog.ts';
import { generic } from './adapters/generic.ts';
import { github } from './adapters/github.ts';

/** Tried in this order; the first that recognises a payload reads it. */
export const CHANGE_ADAPTERS: readonly ChangeAdapter[] = [auditLog, github, generic];
