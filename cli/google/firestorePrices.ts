// List prices of Firestore in US dollars, us-central1, without free tiers, as of November 2026
// (cloud.google.com/firestore/pricing), and the price of operations for people.

/** For one of each. Aggregations and queries without a result are a read. */
export const FIRESTORE_PRICES = {
  documentRead: 0.03 / 100_000,
  documentWrite: 0.09 / 100_000,
  /** Of the TTL policy, too, which deletes each document in the end. */
  documentDelete: 0.01 / 100_000,
};

/** Numbers of operations. */
interface Operations {
  reads: number;
  writes?: number;
  deletes?: number;
}

/** `12,000 reads and 9,000 deletes of Firestore, $0.01` */
export function describeOperations({ reads, writes = 0, deletes = 0 }: Operations): string {
  const { documentRead, documentWrite, documentDelete } = FIRESTORE_PRICES;
  const dollars = reads * documentRead + writes * documentWrite + deletes * documentDelete;
  const counts = [`${reads.toLocaleString('en')} reads`];
  if (writes > 0) counts.push(`${writes.toLocaleString('en')} writes`);
  if (deletes > 0) counts.push(`${deletes.toLocaleString('en')} deletes`);
  const price = dollars < 0.01 ? 'below $0.01' : `$${dollars.toFixed(2)}`;
  return `${counts.join(' and ')} of Firestore, ${price}`;
}
