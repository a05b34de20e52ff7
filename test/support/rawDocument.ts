// Accesses documents without the converters, as other code would.

import { type DocumentReference, Firestore } from '@google-cloud/firestore';

/** Runs `work` on the document at `path` over a connection of its own, which is closed afterwards. */
export async function withRawDocument<T>(
  projectId: string,
  path: string,
  work: (document: DocumentReference) => Promise<T>,
): Promise<T> {
  const firestore = new Firestore({ projectId, clientOptions: { universe_domain: 'googleapis.com' } });
  try {
    return await work(firestore.doc(path));
  } finally {
    await firestore.terminate();
  }
}
