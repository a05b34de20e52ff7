// A process that uses the store and the publisher, closes them, and then has nothing left to do.
// Usage: node test/store/useAndClose.ts PROJECT

import { TOPICS } from '../../shared/core/contract/publisher.ts';
import { paths, sessionType } from '../../shared/lists/documents.ts';
import { createFirestoreStore } from '../../shared/store/firestore/firestoreStore.ts';
import { createPubsubPublisher } from '../../shared/store/pubsub/pubsubPublisher.ts';

const projectId = process.argv[2] ?? '';
const store = createFirestoreStore({ projectId });
const publisher = createPubsubPublisher({ projectId });
store.watch(
  { collection: paths.sessions },
  sessionType,
  () => {},
  () => {},
);
await store.get(paths.session('none'), sessionType);
await publisher.publish(TOPICS.iterations, {}, {});
await store.close();
await publisher.close();
console.log('closed');
