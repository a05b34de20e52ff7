// The publisher's part of the Pub/Sub SDK, in its own module (see firestoreSdk.ts).

export { PubSub } from '@google-cloud/pubsub';
