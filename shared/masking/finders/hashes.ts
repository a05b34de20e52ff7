// Hashes of passwords: they can be tried out offline, so they count as the passwords.

import { anyPattern } from '../../text/patterns.ts';
import type { Scan } from '../scan/scan.ts';

/** crypt(3) and relatives, Django's and Spring's forms, LDAP, SCRAM, NTLM pairs of a SAM dump, MySQL. */
const HASH = anyPattern(
  [
    /\$(?:2[abxy]?|[156]|5r?|6r?|y|gy|7|apr1|argon2(?:id|i|d)|scrypt|pbkdf2(?:-sha\d{1,3})?|sha1|md5|bcrypt-sha256|8|9)\$[./A-Za-z0-9$=,+-]{16,300}/,
    /\b(?:pbkdf2_sha\d{1,3}|bcrypt_sha256|argon2|scrypt|sha512|sha256|sha1|md5)\$[./A-Za-z0-9$=,+-]{24,300}/,
    /\{(?:S?SHA(?:256|384|512)?|S?MD5|CRYPT|bcrypt|pbkdf2|PBKDF2-SHA\d{1,3}|scrypt|argon2)\}[./A-Za-z0-9$=,+-]{16,300}/,
    /\bSCRAM-SHA-(?:1|256|512)\$\d{1,8}:[A-Za-z0-9+/=$:]{20,300}/,
    /\b[0-9a-f]{32}:[0-9a-f]{32}(?=:::)/,
    /(?<=IDENTIFIED BY PASSWORD ')\*[0-9A-F]{40}/,
  ],
  'gi',
);

/** Finds hashes of passwords. */
export function findHashes(scan: Scan): void {
  const { text } = scan;
  if (!/[${]|:::|IDENTIFIED/.test(text)) return;
  HASH.lastIndex = 0;
  for (let found = HASH.exec(text); found !== null; found = HASH.exec(text)) {
    scan.spend(found[0].length);
    scan.found(found.index, found.index + found[0].length, 'password-hash');
  }
}
