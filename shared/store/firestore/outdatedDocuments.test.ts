import { expect, it } from 'vitest';
import { translateError } from './firestoreCall.ts';
import { missingIndex } from './outdatedDocuments.ts';

const thrown = (code: number, message: string) =>
  translateError(Object.assign(new Error(message), { code }), 'looking for older parts');

it('a query without its index names the index to deploy', () => {
  const refused = thrown(9, '9 FAILED_PRECONDITION: The query requires a COLLECTION_GROUP_ASC index');
  expect(missingIndex(refused, 'older parts')?.message).toMatch(
    /^older parts cannot be found: deploy firestore\.indexes\.json .*COLLECTION_GROUP_ASC/,
  );
  expect(missingIndex(thrown(14, '14 UNAVAILABLE'), 'older parts')).toBeUndefined();
});
