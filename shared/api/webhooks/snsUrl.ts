// Checks the addresses in an SNS message: only SNS itself is allowed, in the region of the topic.

import { Problem } from '../http/problem.ts';

const CERTIFICATE = /^\/SimpleNotificationService-[A-Za-z0-9]{1,64}\.pem$/;

/** `sns.REGION.amazonaws.com`, in China below `.cn`. */
function snsHost(topicArn: string): string {
  const [, partition = '', , region = ''] = topicArn.split(':');
  return `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
}

/** The address of the certificate that signed a message. @throws Problem `SIGNATURE_INVALID`. */
export function certificateUrl(text: string, topicArn: string): URL {
  const url = ownUrl(text, topicArn, 'body.SigningCertURL');
  if (!CERTIFICATE.test(url.pathname) || text !== `https://${url.host}${url.pathname}`)
    throw new Problem('SIGNATURE_INVALID', 'body.SigningCertURL: is not the address of a certificate of SNS');
  return url;
}

/** The address that confirms a subscription to this topic. @throws Problem `SIGNATURE_INVALID`. */
export function confirmationUrl(text: string, topicArn: string): URL {
  const url = ownUrl(text, topicArn, 'body.SubscribeURL');
  const { searchParams } = url;
  if (searchParams.get('Action') !== 'ConfirmSubscription' || searchParams.get('TopicArn') !== topicArn)
    throw new Problem(
      'SIGNATURE_INVALID',
      'body.SubscribeURL: does not confirm a subscription to body.TopicArn',
    );
  return url;
}

function ownUrl(text: string, topicArn: string, field: string): URL {
  const url = URL.parse(text);
  const isOwn =
    url !== null &&
    url.protocol === 'https:' &&
    url.host === snsHost(topicArn) &&
    [url.username, url.password, url.hash].every((part) => part === '');
  if (!isOwn) throw new Problem('SIGNATURE_INVALID', `${field}: must be https://${snsHost(topicArn)}/…`);
  return url;
}
