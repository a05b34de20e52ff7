// Has a command start a Firestore and a Pub/Sub of its own, and not use those of the other tests.

export const ownEmulators = { FIRESTORE_EMULATOR_HOST: undefined, PUBSUB_EMULATOR_HOST: undefined };
