import { createHealth } from 'hale';

/** One for the process; Nest gets it from the module. */
export const health = createHealth({ version: '1.0.0' });
