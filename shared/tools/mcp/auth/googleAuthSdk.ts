// The part of google-auth-library that this folder uses, as a module to import dynamically: the bundler
// provides no named exports for a CommonJS package that is imported dynamically, but does for this module.

export { GoogleAuth, IdTokenClient, OAuth2Client } from 'google-auth-library';
