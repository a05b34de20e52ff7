// The message about rejected alerts: number, start, and error codes, without text of alerts. Pure.

import { NO_PARTS, type PortableMessage } from '../../../contract/destination.ts';
import type { DeliveryGroup } from '../../../kits/deliveries/delivery.ts';
import { minuteText } from '../../../text/times.ts';

/** The message of a group of rejected alerts. */
export function rejectedMessage(
  { count, codes = [], tenantId, createdAt }: DeliveryGroup,
  publicUrl: string | null,
): PortableMessage {
  const since = minuteText(createdAt);
  const alerts = count === 1 ? '1 alert was' : `${count} alerts were`;
  return {
    ...NO_PARTS,
    status: 'notice',
    title: `${alerts} rejected since ${since}`,
    text: `${alerts} rejected and not investigated since ${since}: ${codes.join(', ')}`,
    summary: [`Errors: ${codes.join(', ')}`],
    nextStep: 'Find the causes with "inquest why", correct the sender, then send the alerts again.',
    facts: tenantId === undefined ? [] : [{ name: 'Tenant', value: tenantId }],
    link: publicUrl === null ? null : `${publicUrl}/alerts`,
  };
}
