// Services that destinations get from the process instead of making them: the entries choose the engines.

import type { SendHttp } from './http.ts';

/** Services of a process for its destinations. */
export interface DestinationServices {
  /** Sends one HTTP request. */
  http: SendHttp;
  /** An access token of the process's Google identity. @throws without one; the message has the fix. */
  googleToken(scopes: readonly string[]): Promise<string>;
  /** Project and name of the installation. @throws TerminalError `CONFIG_INVALID` for a wrong name. */
  installation(): { project: string; name: string };
  /**
   * Publishes one message of Pub/Sub, and returns its id.
   * @param topic id of the topic.
   * @throws when it was not accepted for certain, or the answer was lost; the code names the refusal.
   */
  publishEvent(event: {
    topic: string;
    project: string;
    data: string;
    attributes: Record<string, string>;
  }): Promise<string>;
  /** Certificates that servers of mail are trusted by, in PEM. Default: those of Node. */
  mailAuthority?: string;
}
