// What the publisher uses of the Pub/Sub SDK, in a module of its own for the reason firestoreSdk.ts gives.

export { PubSub } from '@google-cloud/pubsub';
