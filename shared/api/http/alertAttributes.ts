// Reads the attributes of an alert's message from a header. Addresses stand in the logs of servers and
// proxies, so they are no place for the headers of a webhook.

import type { Context } from 'hono';
import * as z from 'zod';
import { DELIVERY_ATTRIBUTE } from '../../kits/alerts/sessionId.ts';
import { parseJson } from '../../text/json.ts';
import { invalidField } from './problem.ts';

/** The name of the header, in lower case. */
export const ATTRIBUTES_HEADER = 'x-alert-attributes';

const MAX_ATTRIBUTES = 50;
/** Limits of Pub/Sub, in bytes: https://cloud.google.com/pubsub/quotas#resource_limits */
const MAX_NAME_BYTES = 256;
const MAX_VALUE_BYTES = 1024;
/** Attributes that other parameters or headers set, or that identify a delivery, a rerun or a split. */
const RESERVED = ['tenant', 'user', 'chain', 'rerunOf', 'splitOf', DELIVERY_ATTRIBUTE];

/** The header, for the OpenAPI document. */
export const attributesHeader = z.object({
  [ATTRIBUTES_HEADER]: z
    .string()
    .optional()
    .describe(
      'Attributes of the message, such as headers of the webhook, as a JSON object of texts. Characters other than ASCII are escaped (`\\u00e4`)',
    ),
});

/**
 * The attributes that a request names; none without the header.
 * @throws Problem `REQUEST_INVALID` for a value that is no object of texts, and for attributes that Pub/Sub
 *   refuses or that have a parameter of their own.
 */
export function alertAttributes(context: Context): Record<string, string> {
  const text = context.req.header(ATTRIBUTES_HEADER);
  if (text === undefined) return {};
  const read = z.record(z.string(), z.string()).safeParse(parseJson(text));
  if (!read.success) throw fault('must be a JSON object of texts, such as {"env":"prod"}');
  const attributes = Object.entries(read.data);
  if (attributes.length > MAX_ATTRIBUTES) throw fault(`has more than ${MAX_ATTRIBUTES} attributes`);
  for (const [name, value] of attributes) {
    const why = findAttributeFault(name, value);
    if (why !== undefined) throw fault(`${JSON.stringify(name.slice(0, 100))}: ${why}`);
  }
  return read.data;
}

function findAttributeFault(name: string, value: string): string | undefined {
  if (!/^[^=\s]+$/.test(name)) return 'a name has at least one character, no blank and no equals sign';
  if (/^goog/i.test(name)) return 'Pub/Sub keeps names that start with goog for itself';
  if (RESERVED.includes(name))
    return `must not set ${RESERVED.join(', ')}; \`chain\` is a parameter, tenant and user are the caller's`;
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return `a name has at most ${MAX_NAME_BYTES} bytes`;
  if (Buffer.byteLength(value) > MAX_VALUE_BYTES) return `a value has at most ${MAX_VALUE_BYTES} bytes`;
  return undefined;
}

const fault = (message: string) => invalidField(`header.${ATTRIBUTES_HEADER}`, message);
