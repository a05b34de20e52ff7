// The server of the functions-framework, in a module of its own: only the service that runs a function loads
// it, and names of a CommonJS package can only be imported statically.

export { getTestServer as getFunctionServer } from '@google-cloud/functions-framework/testing';
