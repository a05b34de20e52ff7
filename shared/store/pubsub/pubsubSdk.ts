// The part of the Pub/Sub SDK that the publisher uses, in its own module for the reason given in firestoreSdk.ts.

export { PubSub } from '@google-cloud/pubsub';
