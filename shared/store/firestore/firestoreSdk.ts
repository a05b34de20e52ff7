// The part of the Firestore SDK that this folder uses, as a module to import dynamically: the bundler
// provides no named exports for a CommonJS package that is imported dynamically, but does for this module.

export {
  DocumentReference,
  FieldPath,
  FieldValue,
  Firestore,
  GeoPoint,
  Timestamp,
  VectorValue,
} from '@google-cloud/firestore';
export { v1 } from '@google-cloud/firestore-api';
export { credentials } from '@grpc/grpc-js';
