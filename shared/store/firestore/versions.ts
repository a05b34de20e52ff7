// Versions of documents: the update time in nanoseconds, with the fields that an upcaster dropped. `update`
// keeps fields that it is not given, so a replace has to delete the dropped ones explicitly.

import type { Timestamp } from '@google-cloud/firestore';
import type { Version } from '../../core/contract/store.ts';

/** The version of a document. @param dropped names stored fields that its decoded value lacks. */
export function composeVersion(time: Timestamp, dropped: readonly string[] = []): Version {
  return JSON.stringify([time.seconds, time.nanoseconds, ...dropped]) as Version;
}
