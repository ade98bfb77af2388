// The folder table: who may import whom. CONTRIBUTING.md shows the same table for readers.
// A folder that is not listed may not exist in src.
/** @type {Record<string, string[]>} */
const mayImport = {
  core: [],
  engine: ['core'],
  // The listeners on the probe thread need the encoders and the page.
  probe: ['core', 'page', 'protocol'],
  protocol: ['core'],
  checks: ['core'],
  // gRPC is a framework and a protocol.
  frameworks: ['core', 'engine', 'probe', 'protocol'],
  lease: ['core'],
  observe: ['core'],
  page: ['core'],
  manifest: ['core'],
  drill: ['core', 'manifest'],
  simulate: ['core'],
  presets: ['core'],
  workers: ['core', 'engine'],
  // The contract suites exercise the probe handlers and their encoders.
  testing: ['core', 'engine', 'probe', 'protocol'],
};

/** Folders of src; the command line imports everything. */
const folders = [...Object.keys(mayImport), 'cli'];

module.exports = { mayImport, folders };
