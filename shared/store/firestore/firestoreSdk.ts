// What the store uses of the Firestore SDK, in a module of its own: the bundler gives a dynamically imported CommonJS
// package no named exports, but this module it does.

export { FieldPath, FieldValue, Firestore, Timestamp } from '@google-cloud/firestore';
