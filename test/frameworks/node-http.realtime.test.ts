import { attachHealth } from '../../src/frameworks/node-http.js';
import { frameworkContract } from '../contract/framework-contract.js';
import { plainApp } from '../contract/plain-app.js';

frameworkContract(
  plainApp('node:http', (server, { health, basePath }) =>
    attachHealth(server, health, { basePath }),
  ),
);
