// The local cloud for programs: Firestore and Pub/Sub on one machine.

export { type LocalCloud, type LocalCloudOptions, startLocalCloud } from './startLocalCloud.ts';
