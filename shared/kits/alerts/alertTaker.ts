// Takes messages of the topic of alerts that are no alerts.

import type { SessionConfig } from '../../config/config.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';
import type { PubsubMessage } from '../../core/kernel/pubsubEvent.ts';

/**
 * Handles a message, if it is one of its own.
 * @returns whether it was.
 * @throws TerminalError for one of its own that it refuses; RetryableError when it must be delivered again.
 */
export type AlertTaker = (message: PubsubMessage, config: SessionConfig, deps: AlertDeps) => Promise<boolean>;
