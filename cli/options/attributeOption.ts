// `--attribute`, and the help of an argument that names an alert.

import { Option } from 'commander';
import { UsageError } from '../process/usageError.ts';

/** Description of the argument FILE. */
export const ALERT_FILE =
  'the alert of any source (shared/features/alerts/README.md), any other JSON, or text; - is standard input';

/** `--attribute NAME=VALUE`, any number of times. Default: none. */
export const attributeOption = () =>
  new Option('--attribute <name=value>', 'an attribute of the message or a header of its webhook; repeatable')
    .argParser(collectAttribute)
    .default({});

/** Adds one `--attribute NAME=VALUE`. @throws UsageError without a name or `=`. */
function collectAttribute(text: string, before: Record<string, string>): Record<string, string> {
  const [, name, value] = /^([^=\s]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined) {
    throw new UsageError(
      `--attribute ${JSON.stringify(text)}: expected NAME=VALUE, such as --attribute env=prod`,
    );
  }
  return Object.fromEntries([...Object.entries(before), [name, value]]);
}
