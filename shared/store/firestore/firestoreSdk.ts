// The part of the Firestore SDK that the store uses, as a module to import dynamically: the bundler provides no named
// exports for a CommonJS package that is imported dynamically, but does for this module.

export { FieldPath, FieldValue, Firestore, Timestamp } from '@google-cloud/firestore';
