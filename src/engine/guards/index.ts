export { fileDescriptorsBelow } from './file-descriptors-below.js';
export { heapBelow } from './heap-below.js';
export type { Limit } from '../../core/limit.js';
export { rssBelow } from './rss-below.js';
