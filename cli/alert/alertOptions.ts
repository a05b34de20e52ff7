// Arguments and options of the commands that take an alert.

import { UsageError } from '../process/usageError.ts';

/** Description of the argument FILE. */
export const ALERT_FILE =
  'the alert of any source (docs/alerts.md), any other JSON, or text; - is standard input';

/** Adds one `--attribute NAME=VALUE` to the earlier ones. @throws UsageError when it has no name or no `=`. */
export function collectAttribute(text: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(
      `--attribute ${JSON.stringify(text)}: expected NAME=VALUE, such as --attribute env=prod`,
    );
  }
  return Object.fromEntries([...Object.entries(before), [name, value]]);
}
