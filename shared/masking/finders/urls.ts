// Secrets in URLs and addresses: user information, signed queries, connection strings with a password.

import { anyWord } from '../../text/patterns.ts';
import type { Scan } from '../scan/scan.ts';
import { estimateRandomness, isPlaceholder, isPlain } from '../scan/values.ts';

const MAX_AUTHORITY = 1024;
const AUTHORITY = /^[^\s"'`<>\\\ufdd0]*/;
/** Query parameters that assignments do not know by name. Their values are random, or of a signed URL. */
const PARAMETER = new RegExp(
  `[?&;#](${anyWord(
    'key sig signature sign code auth hmac ticket assertion client_assertion samlresponse',
    'id_token hash h s sid sessionid otp x-amz-signature x-amz-credential',
    'x-amz-security-token x-goog-signature x-goog-credential x-ms-signature googleaccessid',
    'hdnts policy nonce_token apikey appid api access',
  )})=([^\\s&"'\`<>\\\\;\\ufdd0]{6,4096})`,
  'gi',
);

/** Finds passwords and tokens in URLs. */
export function findInUrls(scan: Scan): void {
  const { text } = scan;
  for (let at = text.indexOf('://'), next = at; at >= 0; at = next) {
    next = text.indexOf('://', at + 3);
    readUserInfo(scan, at + 3, Math.min(next < 0 ? text.length : next, at + 3 + MAX_AUTHORITY));
  }
  if (text.includes('=')) readParameters(scan);
  if (text.includes('@')) readAddresses(scan);
}

/** @param limit the start of the next URL, or the end of the longest authority. */
function readUserInfo(scan: Scan, start: number, limit: number): void {
  const head = AUTHORITY.exec(scan.text.slice(start, limit))?.[0] ?? '';
  scan.spend(head.length);
  const slash = head.search(/[/?#]/);
  const authority = slash < 0 ? head : head.slice(0, slash);
  let end = authority.lastIndexOf('@');
  // A password can contain a slash: then the text before it is no host and port.
  if (end < 0 && /^[^:@]*:(?!\d{1,5}(?:$|[/?#]))/.test(authority)) end = head.lastIndexOf('@');
  if (end <= 0) return;
  const colon = head.indexOf(':');
  if (colon >= 0 && colon < end) {
    const password = head.slice(colon + 1, end);
    if (isPlaceholder(password)) return;
    scan.found(start + colon + 1, start + end, 'url-password');
  } else if (estimateRandomness(head.slice(0, end)) !== 'none') {
    scan.found(start, start + end, 'url-token');
  }
}

function readParameters(scan: Scan): void {
  PARAMETER.lastIndex = 0;
  for (let found = PARAMETER.exec(scan.text); found !== null; found = PARAMETER.exec(scan.text)) {
    const [whole, name = '', value = ''] = found;
    scan.spend(whole.length);
    const signed =
      /^(?:sig|x-|client_assertion|assertion|samlresponse|id_token|googleaccessid|key$|apikey|hdnts)/i.test(
        name,
      );
    if (
      isPlaceholder(value) ||
      (signed ? isPlain(value) : estimateRandomness(decodeURIComponentSafely(value)) === 'none')
    )
      continue;
    const end = found.index + whole.length;
    scan.found(end - value.length, end, 'url-token');
  }
}

function decodeURIComponentSafely(text: string): string {
  return text.replace(/%([2-7][0-9A-Fa-f])/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** `root:secret@tcp(db:3306)/shop`, `user:secret@10.0.0.1:5432`, `jdbc:oracle:thin:scott/tiger@`. */
function readAddresses(scan: Scan): void {
  const { text } = scan;
  const behind = /@(?:(?:tcp|udp|unix)\(|\/\/|[\w.-]{1,200}:\d{2,5}\b|\()/g;
  for (let at = behind.exec(text); at !== null; at = behind.exec(text)) {
    const before = text.slice(Math.max(0, at.index - 200), at.index);
    scan.spend(before.length + at[0].length);
    const pair =
      /(?:^|[\s"'`=(,])(?:jdbc:oracle:thin:)?[\w.$%+-]{1,64}[:/]([^\s"'`:@/<>=,;\ufdd0]{3,100})$/.exec(
        before,
      );
    const password = pair?.[1];
    if (password === undefined || isPlaceholder(password)) continue;
    scan.found(at.index - password.length, at.index, 'url-password');
  }
}
