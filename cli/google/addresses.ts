// The addresses of Google's REST APIs.

export const FIRESTORE = 'https://firestore.googleapis.com/v1';
export const PUBSUB = 'https://pubsub.googleapis.com/v1';
export const RESOURCE_MANAGER = 'https://cloudresourcemanager.googleapis.com/v1';
export const RUN = 'https://run.googleapis.com/v2';
export const SECRET_MANAGER = 'https://secretmanager.googleapis.com/v1';
export const SERVICE_USAGE = 'https://serviceusage.googleapis.com';
export const STORAGE = 'https://storage.googleapis.com/storage/v1/b';
/** Names the owner of an access token. */
export const TOKEN_INFO = 'https://oauth2.googleapis.com/tokeninfo';
/** Where objects are uploaded to. */
export const STORAGE_UPLOAD = 'https://storage.googleapis.com/upload/storage/v1/b';
