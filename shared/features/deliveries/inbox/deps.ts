// The dependencies of handling presses and mentions.

import type { Off } from '../../../contract/switches.ts';
import type { AlertDeps, RuntimeDeps } from '../../../core/kernel/deps.ts';
import type { ApiRole } from '../../../schema/apiRole.ts';
import type { DeliverDeps } from '../deps.ts';

/** The dependencies of handling presses and mentions, beside those of sending messages. */
export interface InboxDeps
  extends DeliverDeps,
    Pick<AlertDeps, 'maskerFor' | 'sign'>,
    Pick<RuntimeDeps, 'verify'> {
  /** The role and the tenant that access.yaml gives a person; undefined without access. */
  memberOf(person: { email: string; domain: string }): { role: ApiRole; tenantId: string } | undefined;
  /** The features that are off. Absent: none. */
  off?: Off;
}
