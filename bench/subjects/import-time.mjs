// Alone in a fresh process: the time until the module named by the first argument is evaluated, in milliseconds.
const from = performance.now();
await import(process.argv[2]);
process.stdout.write(`${performance.now() - from}\n`);
