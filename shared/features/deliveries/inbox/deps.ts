// The dependencies of handling presses and mentions.

import type { Off } from '../../../contract/switches.ts';
import type { AlertDeps, RuntimeDeps } from '../../../core/kernel/deps.ts';
import type { FindMember } from '../../../kits/deliveries/checkPerson.ts';
import type { MentionTaker } from '../../../kits/deliveries/mentionTaker.ts';
import type { DeliverDeps } from '../deps.ts';

/** The dependencies of handling presses and mentions, beside those of sending messages. */
export interface InboxDeps
  extends DeliverDeps,
    Pick<AlertDeps, 'maskerFor' | 'sign'>,
    Pick<RuntimeDeps, 'verify'> {
  memberOf: FindMember;
  /** Takes mentions outside of the threads of sessions. Absent: they have no effect. */
  mentions?: MentionTaker | undefined;
  /** The features that are off. Absent: none. */
  off?: Off;
}
