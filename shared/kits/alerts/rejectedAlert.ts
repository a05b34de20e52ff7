// The effects that features have on an alert that was rejected.

import type { SessionConfig } from '../../config/config.ts';
import type { Write } from '../../core/contract/store.ts';
import type { AlertDeps } from '../../core/kernel/deps.ts';

/** An alert whose message could not be accepted. */
export interface RejectedAlert {
  tenantId: string;
  /** The chain that its message names; null for none. */
  chain: string | null;
  /** The code of the error. */
  code: string;
}

/** The settings that decide who learns of it. */
export type RejectedConfig = Pick<SessionConfig, 'notify' | 'defaultChain'>;

/** The effects of a rejected alert. */
export interface RejectedEffects {
  /** Stored in the batch of its fate. */
  writes: Write[];
  /** Runs after the commit. The sweep repeats it if it fails. */
  follow(): Promise<void>;
}

/** The effects that a feature has. @throws RetryableError when the store fails. */
export type OnRejectedAlert = (
  alert: RejectedAlert,
  config: RejectedConfig,
  deps: Pick<AlertDeps, 'store' | 'clock' | 'publisher' | 'log'>,
) => Promise<RejectedEffects>;
