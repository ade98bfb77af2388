/** The version of hale, as in package.json; written down here because a bundle of the service has no such file. */
export const HALE_VERSION = '0.1.0';
