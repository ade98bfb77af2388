import { createServer } from 'node:http';
import { createHealth } from 'hale';
import { attachHealth } from 'hale/node-http';

const health = createHealth({ version: '1.0.0' });

const server = createServer((request, response) => {
  if (request.headers['x-key'] !== 'tea') {
    response.writeHead(401).end('who are you?');
  } else if (request.url === '/orders') {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[{"item":"tea"}]');
  } else if (request.url === '/report') {
    // Slow, so that a stop signal meets it in flight.
    setTimeout(() => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"sold":1}');
    }, 1000);
  } else {
    response.writeHead(404).end('no such page');
  }
});

// Before server.listen().
attachHealth(server, health);

const [probes] = await health.start();
server.listen(process.env.PORT ?? 3000, () => {
  console.log(
    `app http://127.0.0.1:${server.address().port} probes http://127.0.0.1:${probes.port}`,
  );
});
