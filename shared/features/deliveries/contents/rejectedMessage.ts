// The message about rejected alerts: number, start, and error codes, without text of alerts; and the message
// in the thread of a refused question. Pure.

import { NO_PARTS, type PortableMessage } from '../../../contract/destination.ts';
import type { DeliveryGroup } from '../../../kits/deliveries/delivery.ts';
import { minuteText } from '../../../text/times.ts';

/** The message of a group of rejected alerts. */
export function rejectedMessage(group: DeliveryGroup, publicUrl: string | null): PortableMessage {
  const { count, codes = [], tenantId, createdAt } = group;
  const link = publicUrl === null ? null : `${publicUrl}/alerts`;
  if (group.thread !== undefined) return { ...refusedQuestion(group), link };
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
    link,
  };
}

/** The answer to a question that opened no session. */
function refusedQuestion({ destination, codes = [] }: DeliveryGroup): Omit<PortableMessage, 'link'> {
  const isGone = codes.includes('CONFIG_UNKNOWN_CHAIN');
  const why = isGone
    ? 'The chain that answers questions in this channel no longer exists.'
    : 'Inquest could not start an investigation with the chain of this channel.';
  const fix = isGone
    ? `Ask the people who run Inquest to correct "asks" of the destination "${destination}" in destinations.yaml.`
    : 'Ask the people who run Inquest for the cause, which the page "Alerts" shows.';
  return {
    ...NO_PARTS,
    status: 'notice',
    title: 'This question is not investigated',
    text: `This question is not investigated: ${why}`,
    summary: [why],
    nextStep: `${fix} Then mention the app again.`,
    facts: [{ name: 'Error', value: codes.join(', ') }],
  };
}
